//===- MarkCalls.cpp - the marks of one function --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/MarkCalls.h"
#include "ir/AllocationFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace inmem {

bool isMarkFunction(StringRef Name) {
  return is_contained(kMarkFunctions, Name);
}

StringRef directName(const CallBase &Call) {
  const Function *Callee = directCallee(Call);
  return Callee ? Callee->getName() : StringRef();
}

Value *markedObject(const CallBase &Call) {
  StringRef Name = directName(Call);
  bool Names = Name == kMarkAtFunction || Name == kMarkAssumedFunction ||
               Name == kMarkPlaceFunction;
  return Names ? Call.getArgOperand(1) : nullptr;
}

MarkCalls::MarkCalls(Function &F) {
  unsigned Order = 0;
  for (Instruction &I : instructions(F)) {
    auto *Inst = dyn_cast<CallBase>(&I);
    if (!Inst || isa<IntrinsicInst>(Inst) || isa<CallBrInst>(Inst))
      continue;
    ++Order;
    StringRef Name = directName(*Inst);
    if (isMarkFunction(Name)) {
      Marks[Inst] = Order;
      if (Name == kMarkCountFunction)
        Counts[Inst->getArgOperand(0)].push_back({Order, Inst});
    } else if (const DebugLoc &Loc = Inst->getDebugLoc()) {
      ByPlace[{Loc.getLine(), Loc.getCol()}].push_back({Order, Inst});
    }
  }
}

CallBase *MarkCalls::firstBehind(const CallBase &Mark,
                                 const SourcePlace &Place) const {
  auto It =
      Place.Line ? ByPlace.find({Place.Line, Place.Column}) : ByPlace.end();
  if (It == ByPlace.end())
    return nullptr;
  const auto *First = partition_point(It->second, [&](const Call &Each) {
    return Each.Order < Marks.lookup(&Mark);
  });
  return First == It->second.end() ? nullptr : First->Inst;
}

const CallBase *MarkCalls::countBefore(const CallBase &Place) const {
  auto It = Counts.find(Place.getArgOperand(0));
  if (It == Counts.end())
    return nullptr;
  const auto *Behind = partition_point(It->second, [&](const Call &Each) {
    return Each.Order < Marks.lookup(&Place);
  });
  return Behind == It->second.begin() ? nullptr : std::prev(Behind)->Inst;
}

bool keepMarks(Module &M) {
  Function *Assumed = M.getFunction(kMarkAssumedFunction);
  if (!Assumed)
    return false;
  Assumed->removeFnAttr(Attribute::Memory);
  for (User *U : Assumed->users())
    cast<CallBase>(U)->removeFnAttr(Attribute::Memory);
  return true;
}

static void removeMark(CallBase &Mark) {
  if (Mark.getType()->isIntegerTy(1)) {
    for (User *U : make_early_inc_range(Mark.users()))
      if (auto *Assumption = dyn_cast<IntrinsicInst>(U);
          Assumption && Assumption->getIntrinsicID() == Intrinsic::assume)
        Assumption->eraseFromParent();
    Mark.replaceAllUsesWith(ConstantInt::getTrue(Mark.getType()));
  } else if (!Mark.getType()->isVoidTy()) {
    Mark.replaceAllUsesWith(Mark.getArgOperand(1));
  }
  Mark.eraseFromParent();
}

bool removeMarks(Module &M) {
  bool Any = false;
  for (StringRef Name : kMarkFunctions) {
    Function *Mark = M.getFunction(Name);
    if (!Mark)
      continue;
    while (!Mark->use_empty())
      removeMark(*cast<CallBase>(Mark->user_back()));
    Mark->eraseFromParent();
    Any = true;
  }
  return Any;
}

} // namespace inmem
