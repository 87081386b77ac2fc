//===- SeparateCounters.cpp - counters alias nothing else -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inmem/abi.h"
#include "ir/InstrumentObjects.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace llvm;

namespace inmem {

static bool isCounterAccess(const Value *Pointer) {
  auto *Address = dyn_cast<GEPOperator>(Pointer);
  auto *Cell = Address ? dyn_cast<GlobalVariable>(
                             Address->getPointerOperand()->stripPointerCasts())
                       : nullptr;
  return Cell && Cell->getSection() == INMEM_SECTION_COUNTERS;
}

PreservedAnalyses SeparateCountersPass::run(Function &F,
                                            FunctionAnalysisManager &Analyses) {
  SmallVector<Instruction *, 16> Counters, Others;
  for (Instruction &I : instructions(F)) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    if (Pointer && isCounterAccess(Pointer))
      Counters.push_back(&I);
    else if (I.mayReadOrWriteMemory() && !I.hasMetadata(LLVMContext::MD_tbaa) &&
             (Pointer || isa<AnyMemIntrinsic>(I)))
      Others.push_back(&I);
  }
  if (Counters.empty())
    return PreservedAnalyses::all();
  LLVMContext &Context = F.getContext();
  MDBuilder Builder(Context);
  MDNode *Domain = Builder.createAnonymousAliasScopeDomain("inmem");
  MDNode *Scopes = MDNode::get(
      Context, Builder.createAnonymousAliasScope(Domain, "inmem counters"));
  auto Add = [&](Instruction *I, unsigned Kind) {
    I->setMetadata(Kind, MDNode::concatenate(I->getMetadata(Kind), Scopes));
  };
  for (Instruction *I : Counters)
    Add(I, LLVMContext::MD_alias_scope);
  for (Instruction *I : Others)
    Add(I, LLVMContext::MD_noalias);
  // Counts go to registers, and from there to a multiple of the trip count,
  // before the vectoriser looks. Functions without counters do not come here.
  LoopPassManager Loops;
  Loops.addPass(LICMPass(LICMOptions()));
  Loops.addPass(IndVarSimplifyPass());
  Analyses.invalidate(F, PreservedAnalyses::none());
  createFunctionToLoopPassAdaptor(std::move(Loops), /*UseMemorySSA=*/true)
      .run(F, Analyses);
  return PreservedAnalyses::none();
}

} // namespace inmem
