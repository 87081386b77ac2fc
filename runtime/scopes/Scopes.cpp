//===- Scopes.cpp - Lists of open scopes ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scopes/Scopes.h"

#include "scopes/ScopeState.h"
#include "state/Runtime.h"

namespace inmem::rt {

constinit SharedScopes Shared = {};
constinit inmem_scope *FreeScopes = nullptr, *Awaiting = nullptr;

void removeFrom(inmem_scope *&List, inmem_scope &S) {
  for (inmem_scope **At = &List; *At; At = &(*At)->Next)
    if (*At == &S) {
      *At = S.Next;
      return;
    }
}

void recycleScope(inmem_scope &S) {
  removeFrom(Awaiting, S);
  if (S.Busy)
    return; // its memory is no longer valid
  S.Next = FreeScopes;
  FreeScopes = &S;
}

void unlinkShared(inmem_scope &S) {
  Locked L(Shared.Mutex);
  removeFrom(Shared.Scopes, S);
  SharedObservers = SharedObservers - 1;
}

void unlinkScope(ThreadState &T, inmem_scope &S) {
  removeFrom(T.Scopes, S);
  S.Linked = false;
  T.Observers -= S.Observes;
  updateFastPath(T);
}

bool dropGivenUp(ThreadState &T) {
  for (inmem_scope *S = T.Scopes, *After; S; S = After) {
    After = S->Next;
    if (!S->GivenUp)
      continue;
    unlinkScope(T, *S);
    Locked L(Process.Mutex);
    recycleScope(*S);
  }
  return T.Scopes != nullptr;
}

bool closeAllFastPaths() {
  // After the first fence no thread opens its fast path without seeing the
  // count, so that what is closed then stays closed.
  if (!fenceAllThreads())
    return false;
  updateAllFastPaths();
  return fenceAllThreads();
}

void forgetScopes() {
  Awaiting = nullptr;
  Shared.Mutex.reset();
  Shared.Scopes = nullptr;
  Shared.Budgets = nullptr;
  Shared.Acting = 0;
  SharedObservers = SharedBudgets = 0;
}

void dropScopes(ThreadState &T) {
  while (inmem_scope *S = T.Scopes) {
    T.Scopes = S->Next;
    S->Linked = false;
    if (S->GivenUp)
      recycleScope(*S);
  }
  T.Observers = 0;
  T.Budgets = nullptr;
}

void releaseScopeLocks(ThreadState &T) {
  if (Shared.Mutex.isOwn()) {
    // Other threads take Busy for another thread's work: clear it on ours.
    for (inmem_scope *S = Shared.Scopes; S; S = S->Next)
      S->Incomplete |= S->Busy;
    Shared.Mutex.release();
  }
  if (T.ActsOnShared && T.Excess)
    leaveSharedBudget(T);
}

} // namespace inmem::rt
