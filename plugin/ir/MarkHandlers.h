//===- MarkHandlers.h - what becomes of an exception in a function ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A budget throws at an allocation only where the exception arrives somewhere.
// The tables of the C++ ABI do not say all that takes: a noexcept function of
// clang's catches everything, as catch (...) does, and a handler may throw on
// what it caught. So this pass puts one more type in front of such a type in a
// landing pad's list, a marker that nothing is ever thrown as. The runtime
// finds it in the tables (runtime/scopes/Refusal.cpp); nobody else takes
// notice. (LanguageMarks.h has what the tables do not say of C.)
#ifndef INMEM_PLUGIN_IR_MARKHANDLERS_H
#define INMEM_PLUGIN_IR_MARKHANDLERS_H

#include "llvm/IR/PassManager.h"

namespace inmem {

/// Runs twice. Early, where functions are as written, it marks the landing pads
/// of noexcept functions; the marks stay with the pads when the inliner joins
/// them with others. Late, when all is inlined that will be,
/// it marks the handlers. Before an LTO link that is not so yet: a handler that
/// throws on is marked as one whose surroundings in the function the runtime
/// must look at.
class MarkHandlersPass : public llvm::PassInfoMixin<MarkHandlersPass> {
public:
  enum Time { Early, Late, LateBeforeLink };
  explicit MarkHandlersPass(Time When) : When(When) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  Time When;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_MARKHANDLERS_H
