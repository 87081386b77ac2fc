//===- ReachesAllocation.h - which functions may allocate -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_REACHESALLOCATION_H
#define INMEM_PLUGIN_IR_REACHESALLOCATION_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Function;
class Module;
class Value;
} // namespace llvm

namespace inmem {

/// Tells functions that may return a new block from those that cannot: their
/// calls, and the calls of what they call, all lead to what is known not to
/// allocate, or what they return lies within a block. Looks through the module
/// once, at the first question, and at each value once: nothing may be erased
/// from it between questions.
class ReachesAllocation {
public:
  explicit ReachesAllocation(const llvm::Module &M) : M(M) {}

  /// Whether \p F may return the beginning of a block that it made, or one that
  /// it called. What it is given and returns is not meant.
  bool returnsBlock(const llvm::Function &F);

  /// Whether \p V, of a function's code, may be the beginning of such a block,
  /// other than one that the function itself is given.
  bool mayBeBlock(const llvm::Value &V);

private:
  void lookThroughModule();
  bool expand(const llvm::Value *V,
              llvm::function_ref<bool(const llvm::Value *)> Add) const;

  const llvm::Module &M;
  bool Looked = false;
  llvm::SmallPtrSet<const llvm::Function *, 32> Never; ///< do not reach one
  llvm::DenseMap<const llvm::Value *, bool> IsBlock;   ///< as far as decided
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_REACHESALLOCATION_H
