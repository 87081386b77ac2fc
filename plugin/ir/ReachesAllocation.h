//===- ReachesAllocation.h - which functions may allocate -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_REACHESALLOCATION_H
#define INMEM_PLUGIN_IR_REACHESALLOCATION_H

#include "ir/ReturnedArguments.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class CallBase;
class Function;
class Module;
class Use;
class Value;
} // namespace llvm

namespace inmem {

/// Distinguishes functions that may return a new block from all others. In the
/// others and their callees, every call leads to a function that is known not
/// to allocate, or the result points into a block. The first query scans the
/// module, and each value is examined once, so nothing may be erased from it
/// between queries.
class ReachesAllocation {
public:
  explicit ReachesAllocation(const llvm::Module &M) : M(M) {}

  /// True if \p F can return the start of a block that it, or one of its
  /// callees, allocates. Pointers passed in and returned unchanged do not
  /// count.
  bool returnsBlock(const llvm::Function &F);

  /// True if \p Call may return the start of such a block because its caller
  /// passes one that another function returned.
  bool returnsGivenBlock(const llvm::CallBase &Call);

  /// True if \p F may allocate a block at all.
  bool mayAllocate(const llvm::Function &F);

private:
  /// Asks whether the value may be the start of a new block or, if the flag is
  /// set, point anywhere into one. False for arguments.
  using Question = llvm::PointerIntPair<const llvm::Value *, 1, bool>;

  void lookThroughModule();
  bool decide(Question Of);
  bool expand(Question Asked, llvm::function_ref<bool(Question)> Add);
  bool returnsArgument(const llvm::CallBase &Call, const llvm::Use &Given,
                       bool Interior, llvm::function_ref<bool(Question)> Add);

  const llvm::Module &M;
  bool Looked = false;
  llvm::SmallPtrSet<const llvm::Function *, 32> Never; ///< reach no allocation
  llvm::DenseMap<Question, bool> IsBlock;              ///< decisions so far
  ReturnedArguments Returned;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_REACHESALLOCATION_H
