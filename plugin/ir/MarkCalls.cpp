//===- MarkCalls.cpp - the marks of one function --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/MarkCalls.h"
#include "ir/AllocationFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
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

/// llvm.ptr.annotation(Object, Function, null, Index, null) for a mark that
/// returns nothing, llvm.annotation(Value, Function, null, Index) for one that
/// returns what it is given.
static void annotate(CallBase &Mark, Function &F) {
  IRBuilder<> Builder(&Mark);
  Type *Result = Mark.getType();
  bool IsInteger = Result->isIntegerTy() && !Result->isIntegerTy(1);
  Type *Ptr = Builder.getPtrTy();
  Value *Null = ConstantPointerNull::get(Builder.getPtrTy());
  Value *Subject = Mark.arg_size() > 1 ? Mark.getArgOperand(1) : Null;
  SmallVector<Value *, 5> Arguments = {Subject, &F, Null,
                                       Mark.getArgOperand(0)};
  if (!IsInteger)
    Arguments.push_back(Null);
  auto *Annotation = cast<CallInst>(Builder.CreateIntrinsic(
      IsInteger ? Intrinsic::annotation : Intrinsic::ptr_annotation,
      {Subject->getType(), Ptr}, Arguments));
  if (Result->isIntegerTy(1))
    Mark.replaceAllUsesWith(ConstantInt::getTrue(Result));
  else if (!Result->isVoidTy())
    Mark.replaceAllUsesWith(Annotation);
  Mark.eraseFromParent();
}

void annotateMarks(Module &M) {
  for (StringRef Name : kMarkFunctions)
    if (Function *F = M.getFunction(Name))
      for (User *U : make_early_inc_range(F->users()))
        annotate(*cast<CallBase>(U), *F);
}

void callAnnotatedMarks(Module &M) {
  for (StringRef Name : kMarkFunctions) {
    Function *F = M.getFunction(Name);
    if (!F)
      continue;
    for (User *U : make_early_inc_range(F->users())) {
      auto *Annotation = dyn_cast<IntrinsicInst>(U);
      if (!Annotation)
        continue;
      IRBuilder<> Builder(Annotation);
      Value *Subject = Annotation->getArgOperand(0);
      SmallVector<Value *, 2> Arguments = {Annotation->getArgOperand(3)};
      if (F->arg_size() > 1)
        Arguments.push_back(Subject);
      CallInst *Mark = Builder.CreateCall(F, Arguments);
      Annotation->replaceAllUsesWith(
          Mark->getType() == Subject->getType() ? Mark : Subject);
      Annotation->eraseFromParent();
    }
  }
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
