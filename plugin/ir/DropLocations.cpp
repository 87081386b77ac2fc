//===- DropLocations.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/DropLocations.h"
#include "CompilationInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

PreservedAnalyses DropLocationsPass::run(Module &M, ModuleAnalysisManager &) {
  const CompilationInfo &Info = CompilationInfo::current();
  if (!Info.AddedLocations || Info.LTOPreLink)
    return PreservedAnalyses::all();
  bool Changed = false;
  for (Function &F : M)
    Changed |= stripDebugInfo(F);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace inmem
