//===- CallingContext.h - contexts=on: who called, in one word --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After all else, each function that may lead to an allocation loads a
// thread-local word, computes
//
//   context = word * INMEM_CONTEXT_FACTOR + its own return address
//
// and stores that before each call that may allocate; before one that becomes a
// jump, the word itself. So the word is a hash of the return addresses on the
// stack, which the runtime can compute from a walk, too (runtime/stacks/
// StackCache.h): it trusts a word only where both agree. Nothing is restored,
// since each call stores before it: exceptions, longjmp and coroutines leave
// nothing behind. Static numbers of calls instead of return addresses would not
// know whether code without contexts has called in between.
#ifndef INMEM_PLUGIN_IR_CALLINGCONTEXT_H
#define INMEM_PLUGIN_IR_CALLINGCONTEXT_H

#include "llvm/IR/PassManager.h"

namespace inmem {

/// Does nothing without the option, or on another processor than x86-64, where
/// the runtime walks no stacks.
class CallingContextPass : public llvm::PassInfoMixin<CallingContextPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_CALLINGCONTEXT_H
