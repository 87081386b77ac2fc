//===- ReachesAllocation.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/ReachesAllocation.h"
#include "ir/Calls.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include <utility>

using namespace llvm;

namespace inmem {

void ReachesAllocation::lookThroughModule() {
  Looked = true;
  DenseMap<const Function *, SmallVector<const Function *, 4>> Callers;
  SmallVector<const Function *, 32> Reaching;
  for (const Function &F : M) {
    if (F.isDeclaration() || F.isInterposable())
      continue;
    bool Reaches = false;
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      const CallTarget Target = targetOf(*Call);
      if (Target.Body)
        Callers[Target.Body].push_back(&F);
      else if (Target.MayAllocate)
        Reaches = true;
      if (Reaches)
        break;
    }
    if (Reaches)
      Reaching.push_back(&F);
    else
      Never.insert(&F);
  }
  while (!Reaching.empty())
    for (const Function *Caller : Callers.lookup(Reaching.pop_back_val()))
      if (Never.erase(Caller))
        Reaching.push_back(Caller);
}

/// Passes every other value that \p Asked may be to \p Add, which returns true
/// if that value is known to point to a block. A function represents its return
/// values, a variable its contents. \returns true if \p Asked may itself be a
/// block, or if \p Add returned true.
bool ReachesAllocation::expand(Question Asked,
                               function_ref<bool(Question)> Add) {
  const Value *V = Asked.getPointer();
  const bool Interior = Asked.getInt();
  const auto AddValue = [&](const Value *Other) {
    return Add({Other, Interior});
  };
  if (auto *F = dyn_cast<Function>(V))
    return any_of(*F, [&](const BasicBlock &Block) {
      auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
      return Return && Return->getReturnValue() &&
             Return->getReturnValue()->getType()->isPointerTy() &&
             AddValue(Return->getReturnValue());
    });
  if (isa<AllocaInst>(V))
    return any_of(V->users(), [&](const User *U) {
      if (auto *Store = dyn_cast<StoreInst>(U))
        return Store->getPointerOperand() != V ||
               AddValue(Store->getValueOperand());
      auto *Intrinsic = dyn_cast<IntrinsicInst>(U);
      return !isa<LoadInst>(U) &&
             !(Intrinsic && (Intrinsic->isLifetimeStartOrEnd() ||
                             isa<DbgInfoIntrinsic>(Intrinsic)));
    });
  if (auto *Phi = dyn_cast<PHINode>(V))
    return any_of(Phi->incoming_values(),
                  [&](const Use &U) { return AddValue(U.get()); });
  if (auto *Select = dyn_cast<SelectInst>(V))
    return AddValue(Select->getTrueValue()) ||
           AddValue(Select->getFalseValue());
  if (auto *Element = dyn_cast<GEPOperator>(V)) {
    const Step Taken = stepOf(*Element, M.getDataLayout());
    return (Interior || Taken != kBehind) &&
           Add({Element->getPointerOperand(), Interior || Taken == kBefore});
  }
  auto *Call = dyn_cast<CallBase>(V);
  if (!Call)
    return true;
  const CallTarget Target = targetOf(*Call);
  if (Target.Body ? !Never.contains(Target.Body) && AddValue(Target.Body)
                  : Target.MayAllocate)
    return true;
  // The call may return an argument, as placement new and strcpy do.
  return any_of(Call->args(), [&](const Use &Given) {
    return Given->getType()->isPointerTy() &&
           returnsArgument(*Call, Given, Interior, Add);
  });
}

bool ReachesAllocation::returnsArgument(const CallBase &Call, const Use &Given,
                                        bool Interior,
                                        function_ref<bool(Question)> Add) {
  const uint8_t Steps =
      Returned.stepsThrough(Call, Call.getArgOperandNo(&Given));
  if (Interior ? Steps != kNowhere : (Steps & kBefore) != 0)
    return Add({Given.get(), true});
  return (Steps & kSame) && Add({Given.get(), false});
}

/// \returns the value that determines the result for \p V: the variable for a
/// load; null if V can neither be a block nor point into one.
static const Value *deciding(const Value *V) {
  V = V->stripPointerCasts();
  if (isa<AllocaInst>(V))
    return nullptr; // on the stack
  if (auto *Load = dyn_cast<LoadInst>(V))
    if (isa<AllocaInst>(Load->getPointerOperand()))
      V = Load->getPointerOperand();
  return isa<Argument>(V) || (isa<Constant>(V) && !isa<Function>(V)) ? nullptr
                                                                     : V;
}

bool ReachesAllocation::decide(Question Of) {
  if (!Looked)
    lookThroughModule();
  const Value *Asked = deciding(Of.getPointer());
  if (!Asked)
    return false;
  Of.setPointer(Asked);
  auto [Known, IsNew] = IsBlock.try_emplace(Of, false);
  if (!IsNew)
    return Known->second;
  // Decide everything that the value may be, even if this query does not need
  // it, so that many queries take linear time.
  SmallVector<Question, 16> Undecided = {Of}, Blocks;
  DenseMap<Question, SmallVector<Question, 2>> Dependents;
  for (size_t I = 0; I < Undecided.size(); ++I) {
    const Question Next = Undecided[I];
    if (expand(Next, [&](Question MayBe) {
          MayBe.setPointer(deciding(MayBe.getPointer()));
          if (!MayBe.getPointer())
            return false;
          auto [It, New] = IsBlock.try_emplace(MayBe, false);
          if (New)
            Undecided.push_back(MayBe);
          Dependents[MayBe].push_back(Next);
          return It->second;
        }))
      Blocks.push_back(Next);
  }
  while (!Blocks.empty()) {
    const Question Block = Blocks.pop_back_val();
    if (!std::exchange(IsBlock[Block], true))
      append_range(Blocks, Dependents.lookup(Block));
  }
  return IsBlock.lookup(Of);
}

bool ReachesAllocation::returnsGivenBlock(const CallBase &Call) {
  return any_of(Call.args(), [&](const Use &Given) {
    return Given->getType()->isPointerTy() &&
           returnsArgument(Call, Given, /*Interior=*/false,
                           [this](Question Q) { return decide(Q); });
  });
}

bool ReachesAllocation::mayAllocate(const Function &F) {
  if (F.isDeclaration() || F.isInterposable())
    return true;
  if (!Looked)
    lookThroughModule();
  return !Never.contains(&F);
}

bool ReachesAllocation::returnsBlock(const Function &F) {
  if (F.isDeclaration() || F.isInterposable())
    return true;
  if (!Looked)
    lookThroughModule();
  return !Never.contains(&F) && decide({&F, false});
}

} // namespace inmem
