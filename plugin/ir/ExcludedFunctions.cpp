//===- ExcludedFunctions.cpp - functions that are left alone --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/FunctionFacts.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instruction.h"

using namespace llvm;

namespace inmem {

/// The functions that refer to \p F, also through constants: a block without
/// captures is a constant.
static SmallSetVector<const Function *, 4> referrersOf(const Function &F) {
  SmallSetVector<const Function *, 4> Referrers;
  SmallSetVector<const User *, 8> Users(F.user_begin(), F.user_end());
  for (unsigned I = 0; I < Users.size(); ++I) {
    const User *U = Users[I];
    if (auto *Inst = dyn_cast<Instruction>(U))
      Referrers.insert(Inst->getFunction());
    else
      Users.insert(U->user_begin(), U->user_end());
  }
  Referrers.remove(&F);
  return Referrers;
}

bool ExcludedFunctions::contains(const Function &F) {
  if (!Table.excludesFunctions())
    return false;
  if (Table.isExcluded(F.getName()))
    return true;
  if (!F.hasLocalLinkage() || !isTakenOut(F.getName()))
    return false;
  // The result for functions that refer to each other.
  auto [It, New] = TakenOut.try_emplace(&F, true);
  if (!New)
    return It->second;
  SmallSetVector<const Function *, 4> Referrers = referrersOf(F);
  bool All = !Referrers.empty() &&
             all_of(Referrers, [&](const Function *G) { return contains(*G); });
  return TakenOut[&F] = All;
}

} // namespace inmem
