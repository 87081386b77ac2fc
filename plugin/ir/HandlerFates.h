//===- HandlerFates.h - fate of an exception in a function ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A budget throws at an allocation only if the exception is caught. The tables
// of the C++ ABI do not fully show that: clang's noexcept functions catch
// everything, as catch (...) does, and a handler may rethrow. So this pass
// inserts a type that is never thrown before such a handler's type in the
// landing pad: the handler's fate. Only the runtime looks for it in the tables
// (runtime/scopes/Refusal.cpp). LanguagePrefix.cpp marks C functions, which
// those tables do not cover.
#ifndef INMEM_PLUGIN_IR_HANDLERFATES_H
#define INMEM_PLUGIN_IR_HANDLERFATES_H

#include "llvm/IR/PassManager.h"

namespace inmem {

/// Runs twice. The early run, while functions are as written, records the
/// landing pads of noexcept functions; the inliner preserves these records when
/// it merges landing pads. The late run, after all inlining, records the
/// handlers. Before an LTO link, inlining is incomplete, so the runtime must
/// check the code around a handler that rethrows.
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
