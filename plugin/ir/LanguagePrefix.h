//===- LanguagePrefix.h - which functions are C -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Budgets must not throw through C frames, which unwind tables cannot identify.
// A prefix in front of a C function's code marks it (INMEM_LANGUAGE_C) for the
// runtime (runtime/scopes/Refusal.cpp).
#ifndef INMEM_PLUGIN_IR_LANGUAGEPREFIX_H
#define INMEM_PLUGIN_IR_LANGUAGEPREFIX_H

#include "llvm/IR/PassManager.h"

namespace inmem {

class LanguagePrefixPass : public llvm::PassInfoMixin<LanguagePrefixPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_LANGUAGEPREFIX_H
