//===- MarkerCalls.cpp - the markers of one function ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/MarkerCalls.h"
#include "ir/AllocationFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace inmem {

bool isMarkerFunction(StringRef Name) {
  return is_contained(kMarkerFunctions, Name);
}

StringRef directName(const CallBase &Call) {
  const Function *Callee = directCallee(Call);
  return Callee ? Callee->getName() : StringRef();
}

Value *markedObject(const CallBase &Call) {
  StringRef Name = directName(Call);
  bool Names = Name == kMarkerAtFunction || Name == kAssumedMarkerFunction ||
               Name == kTargetMarkerFunction;
  return Names ? Call.getArgOperand(1) : nullptr;
}

MarkerCalls::MarkerCalls(Function &F) {
  unsigned Order = 0;
  for (Instruction &I : instructions(F)) {
    auto *Inst = dyn_cast<CallBase>(&I);
    if (!Inst || isa<IntrinsicInst>(Inst) || isa<CallBrInst>(Inst))
      continue;
    ++Order;
    StringRef Name = directName(*Inst);
    if (isMarkerFunction(Name)) {
      Markers[Inst] = Order;
      if (Name == kCountMarkerFunction)
        Counts[Inst->getArgOperand(0)].push_back({Order, Inst});
    } else if (const DebugLoc &Loc = Inst->getDebugLoc()) {
      ByLine[{Loc.getLine(), Loc.getCol()}].push_back({Order, Inst});
    }
  }
}

CallBase *MarkerCalls::firstBehind(const CallBase &Marker,
                                   const SourceLoc &Where) const {
  auto It = Where.Line ? ByLine.find({Where.Line, Where.Column}) : ByLine.end();
  if (It == ByLine.end())
    return nullptr;
  const auto *First = partition_point(It->second, [&](const Call &Each) {
    return Each.Order < Markers.lookup(&Marker);
  });
  return First == It->second.end() ? nullptr : First->Inst;
}

const CallBase *MarkerCalls::countBefore(const CallBase &Marker) const {
  auto It = Counts.find(Marker.getArgOperand(0));
  if (It == Counts.end())
    return nullptr;
  const auto *Behind = partition_point(It->second, [&](const Call &Each) {
    return Each.Order < Markers.lookup(&Marker);
  });
  return Behind == It->second.begin() ? nullptr : std::prev(Behind)->Inst;
}

bool keepMarkers(Module &M) {
  Function *Assumed = M.getFunction(kAssumedMarkerFunction);
  if (!Assumed)
    return false;
  Assumed->removeFnAttr(Attribute::Memory);
  for (User *U : Assumed->users())
    cast<CallBase>(U)->removeFnAttr(Attribute::Memory);
  return true;
}

/// Uses llvm.ptr.annotation(Object, Function, null, Index, null) for a marker
/// that returns nothing, and llvm.annotation(Value, Function, null, Index) for
/// one that returns its argument.
static void annotate(CallBase &Marker, Function &F) {
  IRBuilder<> Builder(&Marker);
  Type *Result = Marker.getType();
  bool IsInteger = Result->isIntegerTy() && !Result->isIntegerTy(1);
  Type *Ptr = Builder.getPtrTy();
  Value *Null = ConstantPointerNull::get(Builder.getPtrTy());
  Value *Subject = Marker.arg_size() > 1 ? Marker.getArgOperand(1) : Null;
  SmallVector<Value *, 5> Arguments = {Subject, &F, Null,
                                       Marker.getArgOperand(0)};
  if (!IsInteger)
    Arguments.push_back(Null);
  auto *Annotation = cast<CallInst>(Builder.CreateIntrinsic(
      IsInteger ? Intrinsic::annotation : Intrinsic::ptr_annotation,
      {Subject->getType(), Ptr}, Arguments));
  if (Result->isIntegerTy(1))
    Marker.replaceAllUsesWith(ConstantInt::getTrue(Result));
  else if (!Result->isVoidTy())
    Marker.replaceAllUsesWith(Annotation);
  Marker.eraseFromParent();
}

void annotateMarkers(Module &M) {
  for (StringRef Name : kMarkerFunctions)
    if (Function *F = M.getFunction(Name))
      for (User *U : make_early_inc_range(F->users()))
        annotate(*cast<CallBase>(U), *F);
}

void callAnnotatedMarkers(Module &M) {
  for (StringRef Name : kMarkerFunctions) {
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
      CallInst *Marker = Builder.CreateCall(F, Arguments);
      Annotation->replaceAllUsesWith(
          Marker->getType() == Subject->getType() ? Marker : Subject);
      Annotation->eraseFromParent();
    }
  }
}

static void removeMarker(CallBase &Marker) {
  if (Marker.getType()->isIntegerTy(1)) {
    for (User *U : make_early_inc_range(Marker.users()))
      if (auto *Assumption = dyn_cast<IntrinsicInst>(U);
          Assumption && Assumption->getIntrinsicID() == Intrinsic::assume)
        Assumption->eraseFromParent();
    Marker.replaceAllUsesWith(ConstantInt::getTrue(Marker.getType()));
  } else if (!Marker.getType()->isVoidTy()) {
    Marker.replaceAllUsesWith(Marker.getArgOperand(1));
  }
  Marker.eraseFromParent();
}

bool removeMarkers(Module &M) {
  bool Any = false;
  for (StringRef Name : kMarkerFunctions) {
    Function *Marker = M.getFunction(Name);
    if (!Marker)
      continue;
    while (!Marker->use_empty())
      removeMarker(*cast<CallBase>(Marker->user_back()));
    Marker->eraseFromParent();
    Any = true;
  }
  return Any;
}

} // namespace inmem
