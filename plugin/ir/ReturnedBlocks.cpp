//===- ReturnedBlocks.cpp - blocks that a function hands out late ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/ReturnedBlocks.h"
#include "ir/AllocationFunctions.h"
#include "ir/Calls.h"
#include "ir/RuntimeHooks.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace inmem {

/// True if \p I may allocate a block. Among the hooks, only allocators return a
/// value.
static bool mayAllocate(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  const Function *Callee = directCallee(*Call);
  if (Callee && Callee->getName().starts_with("__inmem_"))
    return !Call->getType()->isVoidTy();
  const CallTarget Target = targetOf(*Call);
  return Target.Body || Target.MayAllocate;
}

/// True if another call that may allocate can follow \p Call.
static bool mayAllocateAfter(const CallBase &Call) {
  const auto FoundIn = [&](auto Begin, auto End) {
    return std::any_of(Begin, End, mayAllocate);
  };
  const BasicBlock *Here = Call.getParent();
  if (FoundIn(std::next(Call.getIterator()), Here->end()))
    return true;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Next(successors(Here));
  while (!Next.empty()) {
    const BasicBlock *Block = Next.pop_back_val();
    if (!Seen.insert(Block).second)
      continue;
    if (FoundIn(Block->begin(), Block->end()))
      return true;
    append_range(Next, successors(Block));
  }
  return false;
}

void ReturnedBlocks::note(CallBase &Call) {
  Function &F = *Call.getFunction();
  if (F.getReturnType()->isPointerTy() && Call.getType()->isPointerTy() &&
      !F.isPresplitCoroutine() && !isa<CallBrInst>(Call))
    Found[&F].push_back(&Call);
}

void ReturnedBlocks::emit() {
  for (auto &[F, Made] : Found) {
    erase_if(Made,
             [](const CallBase *Call) { return !mayAllocateAfter(*Call); });
    if (!Made.empty())
      emit(*F, Made);
  }
}

/// True if \p Result, a returned value, may be one of \p Made.
static bool mayBeOneOf(ArrayRef<CallBase *> Made, const Value *Result) {
  if (isa<Constant, Argument, AllocaInst>(Result))
    return false;
  auto *Call = dyn_cast<CallBase>(Result);
  return !Call || is_contained(Made, Call) ||
         !(Call->hasRetAttr(Attribute::NoAlias) || owningCallee(*Call));
}

void ReturnedBlocks::emit(Function &F, ArrayRef<CallBase *> Made) {
  SmallVector<ReturnInst *, 4> Returns;
  for (BasicBlock &Block : F)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()))
      if (!Block.getTerminatingMustTailCall() &&
          mayBeOneOf(Made, Return->getReturnValue()))
        Returns.push_back(Return);
  if (Returns.empty())
    return;
  PointerType *Ptr = PointerType::getUnqual(M.getContext());
  Constant *Null = ConstantPointerNull::get(Ptr);
  SmallVector<AllocaInst *, 2> Slots;
  for (CallBase *Call : Made) {
    IRBuilder<> Entry(&*F.getEntryBlock().getFirstInsertionPt());
    Slots.push_back(Entry.CreateAlloca(Ptr));
    Entry.CreateStore(Null, Slots.back());
    IRBuilder<>(pointAfter(*Call)).CreateStore(Call, Slots.back());
  }
  for (ReturnInst *Return : Returns) {
    IRBuilder<> Builder(Return);
    Value *Result = Return->getReturnValue();
    Value *IsMade = nullptr;
    for (AllocaInst *Slot : Slots) {
      Value *Same = Builder.CreateICmpEQ(Result, Builder.CreateLoad(Ptr, Slot));
      IsMade = IsMade ? Builder.CreateOr(IsMade, Same) : Same;
    }
    Instruction *Then = SplitBlockAndInsertIfThen(
        Builder.CreateAnd(IsMade, Builder.CreateIsNotNull(Result)), Return,
        /*Unreachable=*/false);
    IRBuilder<> Inner(Then);
    RuntimeHooks(M).setReturnedBlock(Inner, Result);
  }
  if (F.hasOptNone())
    return;
  DominatorTree Dominators(F);
  PromoteMemToReg(Slots, Dominators);
}

} // namespace inmem
