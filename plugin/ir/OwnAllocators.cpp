//===- OwnAllocators.cpp - allocation functions that the unit defines -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/AllocationFunctions.h"
#include "ir/FunctionFacts.h"
#include "ir/LibrarySignatures.h"
#include "ir/Pipeline.h"
#include "ir/RuntimeHooks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/MemoryBuiltins.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace inmem {

/// The hooked function that \p I calls and this unit defines, or null.
static const HookedFunction *hookedDefinition(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || Call->hasFnAttr(kSkipAttribute))
    return nullptr;
  const HookedFunction *Hooked = hookedCallee(*Call);
  const Function *Callee = Hooked ? directCallee(*Call) : nullptr;
  return Callee && !Callee->isDeclaration() &&
                 !Callee->hasAvailableExternallyLinkage()
             ? Hooked
             : nullptr;
}

static void hide(CallBase &Call, const HookedFunction &Hooked,
                 const TargetLibraryInfo &TLI) {
  Function &Callee = *directCallee(Call);
  Module &M = *Callee.getParent();
  // Let the optimiser remove the same malloc/free pairs as without us.
  if (Hooked.Frees ? getFreedOperand(&Call, &TLI) != nullptr
                   : isAllocationFn(&Call, &TLI))
    addAllocationAttributes(Hooked, Call);
  FunctionCallee Hidden =
      M.getOrInsertFunction((kOwnPrefix + Callee.getName()).str(),
                            Callee.getFunctionType(), Callee.getAttributes());
  auto &F = *cast<Function>(Hidden.getCallee());
  for (const auto Kind : {Attribute::AlwaysInline, Attribute::InlineHint,
                          Attribute::NoInline, Attribute::OptimizeNone})
    F.removeFnAttr(Kind);
  F.setCallingConv(Callee.getCallingConv());
  if (Callee.isDiscardableIfUnused())
    appendToCompilerUsed(M, {&Callee});
  Call.setCalledFunction(Hidden);
}

void hideOwnAllocators(Module &M, FunctionAnalysisManager &FAM) {
  SmallVector<std::pair<CallBase *, const HookedFunction *>, 16> Calls;
  for (Function &F : M)
    if (isInstrumentable(F) && !F.hasAvailableExternallyLinkage())
      for (Instruction &I : instructions(F))
        if (const HookedFunction *Hooked = hookedDefinition(I))
          Calls.push_back({cast<CallBase>(&I), Hooked});
  for (auto [Call, Hooked] : Calls)
    hide(*Call, *Hooked,
         FAM.getResult<TargetLibraryAnalysis>(*Call->getFunction()));
}

Function *ownAllocator(const CallBase &Call) {
  const Function *Callee = directCallee(Call);
  if (!Callee)
    return nullptr;
  StringRef Name = Callee->getName();
  const bool Hidden = Name.consume_front(kOwnPrefix);
  return Hidden || !unprefixedAllocator(Name).empty()
             ? Callee->getParent()->getFunction(Name)
             : nullptr;
}

void revealOwnAllocators(Module &M) {
  for (Function &F : make_early_inc_range(M)) {
    StringRef Name = F.getName();
    Function *Own =
        Name.consume_front(kOwnPrefix) ? M.getFunction(Name) : nullptr;
    if (!Own)
      continue;
    F.replaceAllUsesWith(Own);
    F.eraseFromParent();
  }
}

CallBase &callThroughJump(CallBase &Call) {
  Function &Caller = *Call.getFunction();
  auto *F =
      Function::Create(Call.getFunctionType(), GlobalValue::InternalLinkage,
                       kJumpName, Caller.getParent());
  F->setCallingConv(Call.getCallingConv());
  for (const auto Kind : {Attribute::DisableSanitizerInstrumentation,
                          Attribute::NoProfile, Attribute::NoInline})
    F->addFnAttr(Kind);
  F->setUWTableKind(UWTableKind::Default);
  if (Caller.hasFnAttribute("frame-pointer"))
    F->addFnAttr(Caller.getFnAttribute("frame-pointer"));
  IRBuilder<> Builder(BasicBlock::Create(Call.getContext(), "", F));
  SmallVector<Value *, 4> Arguments;
  for (Argument &A : F->args())
    Arguments.push_back(&A);
  CallInst *Jump = Builder.CreateCall(Call.getFunctionType(),
                                      Call.getCalledOperand(), Arguments);
  Jump->setCallingConv(Call.getCallingConv());
  Jump->setAttributes(Call.getAttributes());
  Jump->setTailCallKind(CallInst::TCK_Tail);
  if (Call.getType()->isVoidTy())
    Builder.CreateRetVoid();
  else
    Builder.CreateRet(Jump);
  Call.setCalledFunction(F);
  return *Jump;
}

} // namespace inmem
