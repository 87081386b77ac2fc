//===- DropLocations.cpp - unrequested source locations -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PluginOptions.h"
#include "ir/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace inmem {

static void dropAllButCalls(Function &F) {
  for (Instruction &I : instructions(F))
    if (!isa<CallBase>(I) || isa<IntrinsicInst>(I))
      I.setDebugLoc(DebugLoc());
}

PreservedAnalyses DropLocationsPass::run(Module &M, ModuleAnalysisManager &) {
  const CompilationInfo &Info = CompilationInfo::current();
  if (!Info.AddedLocations || Info.LTOPreLink)
    return PreservedAnalyses::all();
  if (Dropped == AllButCalls) {
    for_each(M, dropAllButCalls);
    return PreservedAnalyses::all(); // no analysis looks at locations
  }
  bool Changed = false;
  for (Function &F : M)
    Changed |= stripDebugInfo(F);
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace inmem
