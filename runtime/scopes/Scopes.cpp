//===- Scopes.cpp - Lists of open scopes ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scopes/Scopes.h"

#include "scopes/ScopeState.h"
#include "state/Runtime.h"

namespace inmem::rt {

void forgetScopes() {
  Awaiting = nullptr;
  Shared.Mutex.reset();
  Shared.Scopes = nullptr;
  Shared.Budgets = nullptr;
  Shared.Acting = 0;
  SharedObservers = SharedBudgets = 0;
}

void dropScopes(ThreadState &T) {
  while (inmem_scope *S = T.Scopes.Newest) {
    T.Scopes.Newest = S->Next;
    S->Linked = false;
    if (S->GivenUp)
      recycleScope(*S);
  }
  T.Scopes.Observers = 0;
  T.Scopes.Budgets = nullptr;
}

void releaseScopeLocks(ThreadState &T) {
  if (Shared.Mutex.isOwn()) {
    // A jump left the Busy scopes half changed, so their results are
    // incomplete.
    for (inmem_scope *S = Shared.Scopes; S; S = S->Next)
      S->Incomplete |= S->Busy;
    Shared.Mutex.release();
  }
  if (T.Scopes.ActsOnShared && T.Excess.Budget)
    leaveSharedBudget(T);
}

} // namespace inmem::rt
