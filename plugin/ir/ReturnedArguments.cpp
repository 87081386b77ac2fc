//===- ReturnedArguments.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/ReturnedArguments.h"
#include "ir/Calls.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include <utility>

using namespace llvm;

namespace inmem {

static constexpr uint8_t kAnywhere = kSame | kBehind | kBefore;

Step join(Step First, Step Second) {
  if (First == kBefore || Second == kBefore)
    return kBefore;
  return First == kSame ? Second : First;
}

Step stepOf(const GEPOperator &Element, const DataLayout &Layout) {
  APInt Offset(Layout.getIndexTypeSizeInBits(Element.getType()), 0);
  if (Element.accumulateConstantOffset(Layout, Offset))
    return Offset.isNegative() ? kBefore : Offset.isZero() ? kSame : kBehind;
  const bool Back = any_of(Element.indices(), [](const Use &Index) {
    auto *Constant = dyn_cast<ConstantInt>(Index.get());
    return Constant ? Constant->isNegative()
                    : match(Index.get(),
                            PatternMatch::m_Neg(PatternMatch::m_Value()));
  });
  return Back ? kBefore : kSame;
}

uint8_t ReturnedArguments::stepsThrough(const CallBase &Call, unsigned Index) {
  if (!Call.getType()->isPointerTy())
    return kNowhere;
  const CallTarget Target = targetOf(Call);
  if (!Target.Body) {
    auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call);
    const bool Masks =
        Intrinsic && Intrinsic->getIntrinsicID() == Intrinsic::ptrmask;
    return Masks ? kBefore : kSame; // strcpy, strchr
  }
  return Index < Target.Body->arg_size()
             ? stepsFrom(*Target.Body->getArg(Index))
             : kAnywhere; // a variadic argument
}

uint8_t ReturnedArguments::stepsFrom(const Argument &Given) {
  auto [It, New] = Known.try_emplace(&Given, kAnywhere); // in case of recursion
  if (!New)
    return It->second;
  constexpr unsigned kDeep = 64;
  if (Depth == kDeep)
    return kAnywhere;
  ++Depth;
  const uint8_t Steps = follow(Given);
  --Depth;
  return Known[&Given] = Steps;
}

uint8_t ReturnedArguments::follow(const Argument &Given) {
  const DataLayout &Layout = Given.getParent()->getParent()->getDataLayout();
  uint8_t Returned = kNowhere;
  // Values, and the steps that lead to them. (LLVM 16 cannot hash
  // enumerations.)
  SmallSetVector<std::pair<const Value *, uint8_t>, 16> Reached;
  Reached.insert({&Given, kSame});
  for (size_t I = 0; I < Reached.size(); ++I) {
    const Value *V = Reached[I].first;
    const Step At = Step(Reached[I].second);
    for (const Use &U : V->uses()) {
      const auto *User = dyn_cast<Instruction>(U.getUser());
      if (!User)
        continue;
      if (isa<ReturnInst>(User)) {
        Returned |= At;
      } else if (auto *Store = dyn_cast<StoreInst>(User)) {
        if (Store->getValueOperand() == V &&
            isa<AllocaInst>(Store->getPointerOperand()))
          for (const llvm::User *Reader : Store->getPointerOperand()->users())
            if (isa<LoadInst>(Reader))
              Reached.insert({Reader, At});
      } else if (isa<PHINode, SelectInst, CastInst>(User)) {
        if (User->getType()->isPointerTy())
          Reached.insert({User, At});
      } else if (auto *Element = dyn_cast<GEPOperator>(User)) {
        Reached.insert({User, join(At, stepOf(*Element, Layout))});
      } else if (auto *Call = dyn_cast<CallBase>(User)) {
        if (!Call->isArgOperand(&U))
          continue;
        const uint8_t Through = stepsThrough(*Call, Call->getArgOperandNo(&U));
        for (Step Each : {kSame, kBehind, kBefore})
          if (Through & Each)
            Reached.insert({Call, join(At, Each)});
      }
    }
  }
  return Returned;
}

} // namespace inmem
