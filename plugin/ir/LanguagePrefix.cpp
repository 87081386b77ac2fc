//===- LanguagePrefix.cpp - which functions are C -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compat.h"
#include "PluginOptions.h"
#include "inmem/abi.h"
#include "ir/Passes.h"
#include "ir/Pipeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace inmem {

namespace {

/// The prefix for unit \p M; null if its language is unknown.
const char *languagePrefix(const Module &M) {
  switch (CompilationInfo::current().Language) {
  case CompilationInfo::C:
    return INMEM_LANGUAGE_C;
  case CompilationInfo::CPlusPlus:
    return INMEM_LANGUAGE_CPLUSPLUS;
  case CompilationInfo::Unknown:
    break;
  }
  // Without an AST half, the language is unknown. C++ units usually define or
  // call a mangled name.
  bool Mangled = any_of(M.global_values(), [](const GlobalValue &G) {
    return G.getName().starts_with("_Z") ||
           G.getName() == "__gxx_personality_v0";
  });
  return Mangled ? nullptr : INMEM_LANGUAGE_C;
}

bool callsOthers(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    return isa<CallBase>(I) && !isa<IntrinsicInst>(I);
  });
}

/// Puts 16 bytes in front of the code of functions that neither tables nor
/// names identify as C or C++ on a stack: all C functions, and C++ functions
/// whose name is valid in C. The bytes move with the function and keep it
/// aligned.
bool addPrefix(Function &F, StringRef Prefix) {
  if (F.isDeclaration() || F.hasAvailableExternallyLinkage() ||
      F.hasPrefixData() || F.hasFnAttribute(Attribute::Naked) ||
      !callsOthers(F) ||
      (Prefix != INMEM_LANGUAGE_C && F.getName().starts_with("_Z")))
    return false;
  F.setPrefixData(ConstantDataArray::getString(F.getContext(), Prefix,
                                               /*AddNull=*/false));
  return true;
}

bool addPrefix(Module &M) {
  const Triple Target = compat::target(M);
  const char *Prefix = languagePrefix(M);
  bool Any = false;
  if (Prefix && Target.isOSBinFormatELF() &&
      (Target.getArch() == Triple::x86_64 ||
       Target.getArch() == Triple::aarch64))
    for (Function &F : M)
      Any |= addPrefix(F, Prefix);
  return Any;
}

} // namespace

PreservedAnalyses LanguagePrefixPass::run(Module &M, ModuleAnalysisManager &) {
  return claimStage(M, "language") && addPrefix(M) ? PreservedAnalyses::none()
                                                   : PreservedAnalyses::all();
}

} // namespace inmem
