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

/// The prefix for the unit that \p M is; null: not known.
const char *languagePrefix(const Module &M) {
  switch (CompilationInfo::current().Language) {
  case CompilationInfo::C:
    return INMEM_LANGUAGE_C;
  case CompilationInfo::CPlusPlus:
    return INMEM_LANGUAGE_CPLUSPLUS;
  case CompilationInfo::Unknown:
    break;
  }
  // There is no AST half that knows the language. Units of C++ usually define
  // or call a mangled name.
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

/// Puts 16 bytes in front of the code of those functions on a stack of which
/// neither tables nor names show whether they are C: all of C, and functions of
/// C++ with a name that C could have. They move with the function, and 16 bytes
/// leave it aligned.
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
