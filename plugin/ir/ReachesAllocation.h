//===- ReachesAllocation.h - which functions may allocate -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_REACHESALLOCATION_H
#define INMEM_PLUGIN_IR_REACHESALLOCATION_H

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace inmem {

/// Tells functions whose calls, and the calls of what they call, all lead to
/// what is known not to allocate: the pointer that one returns is no new
/// block. Looks through the module once, at the first question.
class ReachesAllocation {
public:
  explicit ReachesAllocation(const llvm::Module &M) : M(M) {}

  /// False only for a function with a body that calls of it come to.
  bool operator()(const llvm::Function &F);

private:
  void lookThroughModule();

  const llvm::Module &M;
  bool Looked = false;
  llvm::SmallPtrSet<const llvm::Function *, 32> Never; ///< do not reach one
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_REACHESALLOCATION_H
