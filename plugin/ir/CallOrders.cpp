//===- CallOrders.cpp - which of the calls at a place one is --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/AllocationFunctions.h"
#include "ir/Calls.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace inmem {

static bool initialisesGlobals(const Function &F) {
  return normalizedFunction(F.getName()) == kGlobals;
}

CallOrders::Key CallOrders::keyOf(const CallBase &Call) {
  const Function *F = Call.getFunction();
  const DebugLoc &Loc = Call.getDebugLoc();
  return {initialisesGlobals(*F) ? nullptr : F, directCallee(Call),
          Loc ? Loc.getLine() : 0, Loc ? Loc.getCol() : 0};
}

void CallOrders::number(const Function &F) {
  if (!Numbered.insert(&F).second)
    return;
  for (const Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      Numbers[Call] = Counts[keyOf(*Call)]++;
}

CallOrder CallOrders::of(const CallBase &Call) {
  const Function &F = *Call.getFunction();
  // Functions that initialise globals share one list of facts.
  if (initialisesGlobals(F)) {
    for (const Function &Other : *F.getParent())
      if (initialisesGlobals(Other))
        number(Other);
  } else {
    number(F);
  }
  return {Numbers.lookup(&Call), Counts[keyOf(Call)]};
}

} // namespace inmem
