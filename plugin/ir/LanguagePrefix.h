//===- LanguagePrefix.h - which functions are C -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Through functions of C nothing is thrown, and the tables of the C++ ABI do
// not separate them from others: a prefix in front of the function's code does
// (INMEM_LANGUAGE_C), for the runtime's budgets (runtime/scopes/Refusal.cpp).
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
