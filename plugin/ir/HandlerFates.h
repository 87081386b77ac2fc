//===- HandlerFates.h - fate of an exception in a function ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A budget throws at an allocation only if the exception arrives somewhere,
// which the tables of the C++ ABI do not fully show: clang's noexcept functions
// catch everything, as catch (...) does, and a handler may rethrow. So this
// pass puts a type that nothing is ever thrown as in front of such a handler's
// type in the landing pad: the handler's fate. Only the runtime looks for it in
// the tables (runtime/scopes/Refusal.cpp). LanguagePrefix.cpp marks the
// functions of C, which those tables do not cover.
#ifndef INMEM_PLUGIN_IR_HANDLERFATES_H
#define INMEM_PLUGIN_IR_HANDLERFATES_H

#include "llvm/IR/PassManager.h"

namespace inmem {

/// Runs twice. Early, while functions are as written, it records the landing
/// pads of noexcept functions; the inliner keeps that when it joins them with
/// others. Late, after all inlining, it records the handlers. Before an LTO
/// link inlining is not complete: the runtime must check the code around a
/// handler that rethrows.
class HandlerFatesPass : public llvm::PassInfoMixin<HandlerFatesPass> {
public:
  enum Time { Early, Late, LateBeforeLink };
  explicit HandlerFatesPass(Time When) : When(When) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  Time When;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_HANDLERFATES_H
