//===- StaticHooks.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/StaticHooks.h"

#include "hot/OwnBlocks.h"
#include "hot/Retag.h"
#include "index/LiveIndex.h"

namespace inmem::rt {

INMEM_ASIDE_IN_HOOKS void *
newThroughMalloc(NewOperator Operator, NewOperator &OwnOperator, size_t Size,
                 uintptr_t Second, const void *Third, struct inmem_site *Site,
                 const uintptr_t *Back) {
  const auto Record = [&](void *P) {
    if (Back)
      recordOwn(P, Size, FromPath{Site, Back}, 0);
    else
      recordOwn(P, Size, FromSite{Site}, 0);
    return P;
  };
  if (OwnOperator) {
    void *P = callOwn<true>(reinterpret_cast<AnyFunction>(OwnOperator), nullptr,
                            Size, Second, reinterpret_cast<uintptr_t>(Third));
    return P ? Record(P) : P;
  }
  // Not null if a signal handler interrupted an operator.
  struct inmem_site *Outer = Thread.Callers.Expected;
  const uintptr_t *OuterBack = Thread.Callers.ExpectedBack;
  Thread.Callers.ExpectedBack = Back;
  Thread.Callers.Expected = Site;
  void *P = Operator(Size, Second, Third);
  const bool NotTaken = Thread.Callers.Expected == Site;
  Thread.Callers.Expected = Outer;
  Thread.Callers.ExpectedBack = OuterBack;
  if (!NotTaken || !P)
    return P;
  if (Thread.Fast.LastAllocated == P || peekBlock(P)) {
    retagOwned(P,
               Site); // an instrumented operator's malloc has its own site
    return P;
  }
  OwnOperator = Operator;
  HasOwnOperators = true;
  return Record(P);
}

INMEM_ASIDE_IN_HOOKS void deleteOwn(DeleteOperator Operator, void *P,
                                    uintptr_t Second, uintptr_t Third) {
  ownFree<true>(reinterpret_cast<AnyFunction>(Operator), nullptr, P, Second,
                Third);
}

} // namespace inmem::rt
