//===- Wrappers.h - functions that allocate for their callers ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_WRAPPERS_H
#define INMEM_PLUGIN_IR_WRAPPERS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>

namespace llvm {
class AllocaInst;
class Argument;
class CallBase;
class Function;
class Value;
} // namespace llvm

namespace inmem {

/// Finds functions that only forward a fresh block. Each returned value is
/// null, comes from an untyped allocation (at most through local variables), or
/// is a parameter that the function passed to realloc.
class WrapperFinder {
public:
  /// \p IsUntyped returns true if a call allocates such a block. \p MayReuse:
  /// the function may also return memory that it kept, as operators new that
  /// recycle do, if the caller determines the size of its allocations.
  explicit WrapperFinder(std::function<bool(const llvm::CallBase &)> IsUntyped,
                         bool MayReuse = false)
      : IsUntyped(std::move(IsUntyped)), MayReuse(MayReuse) {}

  bool forwards(const llvm::Function &F);

private:
  bool trace(const llvm::Value *V);
  bool traceCall(const llvm::CallBase &Call);
  bool traceVariable(const llvm::AllocaInst &Slot);
  void noteResized(const llvm::Value &Old);

  std::function<bool(const llvm::CallBase &)> IsUntyped;
  bool MayReuse;
  llvm::SmallPtrSet<const llvm::Value *, 16> Visited;
  /// Parameters of the analysed function: a returned value may be one of them,
  /// such as the old block of a realloc.
  llvm::SmallPtrSet<const llvm::Argument *, 4> Given, Resized;
  /// Indices of the parameters that a wrapper passes to realloc.
  llvm::DenseMap<const llvm::Function *, llvm::SmallVector<unsigned, 1>>
      ResizedBy;
  bool Found = false;
};

/// Finds allocators that know the type of their blocks: each returned value is
/// null or a block of a size that the caller determines, and nothing else is
/// done with the block.
///
/// \code
///   T *allocate(size_t N) { return static_cast<T *>(malloc(N * sizeof(T))); }
/// \endcode
class TypedAllocatorFinder {
public:
  bool handsOut(const llvm::Function &F);

private:
  bool trace(const llvm::Value *V);
  bool isAllocation(const llvm::CallBase &Call) const;

  llvm::SmallPtrSet<const llvm::Function *, 8> Known;
  llvm::SmallPtrSet<const llvm::Value *, 16> Visited;
  bool Found = false;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_WRAPPERS_H
