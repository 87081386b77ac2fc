//===- Budgets.cpp - Limits on allocations of code ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scopes/Scopes.h"

#include "platform/Process.h"
#include "registry/SiteRegistry.h"
#include "scopes/ScopeState.h"
#include "state/Runtime.h"

namespace inmem::rt {

namespace {

/// True if a shared budget covers the thread's allocations.
bool limits(const inmem_budget &B) {
  return B.owner == INMEM_ALL_THREADS ||
         B.owner == reinterpret_cast<uintptr_t>(threadPointer());
}

/// Counts a block of \p Size bytes. \returns whether that exceeds the budget
bool use(inmem_budget &B, uint64_t Size, uint64_t Type) {
  B.used_bytes += Size;
  B.used_blocks += 1;
  bool Over = B.used_bytes > B.bytes || B.used_blocks > B.blocks;
  for (uint32_t I = 0; I < B.type_count; ++I) {
    inmem_type_limit &Limit = B.types[I];
    if (Limit.type_id != Type)
      continue;
    Limit.used_bytes += Size;
    Limit.used_blocks += 1;
    Over |= Limit.used_bytes > Limit.bytes || Limit.used_blocks > Limit.blocks;
  }
  return Over;
}

} // namespace

void useBudgets(ThreadState &T, uint64_t Size, uint32_t Id) {
  uint64_t Type = idOfType(typeOfSite(Id));
  // If nested budgets are exceeded, the innermost one acts, before shared ones.
  auto Use = [&](inmem_budget &B) {
    if (!use(B, Size, Type) || T.Excess.Budget)
      return false;
    T.Excess.Budget = &B;
    T.Excess.Site = Id;
    T.Excess.Size = Size;
    return true;
  };
  for (inmem_budget *B = T.Scopes.Budgets; B; B = B->next)
    Use(*B);
  if (SharedBudgets) {
    Locked L(Shared.Mutex);
    for (inmem_budget *B = Shared.Budgets; B; B = B->next)
      if (limits(*B) && Use(*B)) {
        T.Scopes.ActsOnShared = true;
        Shared.Acting = Shared.Acting + 1;
      }
  }
}

namespace {

/// Fills \p E with the limit of \p B that the last allocation exceeded.
void nameLimit(const inmem_budget &B, uint64_t Type, inmem_excess &E) {
  auto Exceeded = [&E](const char *What, uint64_t Used, uint64_t Limit) {
    if (Used <= Limit)
      return false;
    E.what = What;
    E.reached = Used;
    E.limit = Limit;
    return true;
  };
  for (uint32_t I = 0; I < B.type_count; ++I) {
    const inmem_type_limit &L = B.types[I];
    if (L.type_id == Type && (Exceeded("blocks", L.used_blocks, L.blocks) ||
                              Exceeded("bytes", L.used_bytes, L.bytes))) {
      E.type = L.type;
      return;
    }
  }
  if (!Exceeded("blocks", B.used_blocks, B.blocks))
    Exceeded("bytes", B.used_bytes, B.bytes);
}

/// \returns whether it was in the list.
bool unlink(inmem_budget *&List, const inmem_budget &B) {
  for (inmem_budget **At = &List; *At; At = &(*At)->next)
    if (*At == &B) {
      *At = B.next;
      return true;
    }
  return false;
}

/// \returns false if it is not shared
bool unlinkShared(inmem_budget &B) {
  Locked L(Shared.Mutex);
  if (!unlink(Shared.Budgets, B))
    return false;
  B.owner = 0;
  SharedBudgets = SharedBudgets - 1;
  return true;
}

/// Subtracts an allocation that is undone from the bytes and blocks used.
void unuse(ThreadState &T, uint64_t Size, uint64_t Type) {
  auto From = [&](inmem_budget &B) {
    B.used_bytes -= Size;
    B.used_blocks -= 1;
    for (uint32_t I = 0; I < B.type_count; ++I)
      if (B.types[I].type_id == Type) {
        B.types[I].used_bytes -= Size;
        B.types[I].used_blocks -= 1;
      }
  };
  for (inmem_budget *B = T.Scopes.Budgets; B; B = B->next)
    From(*B);
  Locked L(Shared.Mutex);
  for (inmem_budget *B = Shared.Budgets; B; B = B->next)
    if (limits(*B))
      From(*B);
}

} // namespace

void actOnExcess(ThreadState &T, void *P, bool MayThrow) {
  inmem_budget *B = T.Excess.Budget;
  T.Excess.Budget = nullptr;
  struct inmem_source_location Places[kMostPlaces];
  inmem_excess E = {};
  {
    SlowPath Inside(T);
    E.site = describe(T.Excess.Site, Places);
    E.size = T.Excess.Size;
    E.site.counts.allocations = 1;
    E.site.counts.allocated_bytes = E.size;
    {
      Locked L(Shared.Mutex);
      nameLimit(*B, E.site.type_id, E);
      B->excesses += 1;
    }
    // The allocating thread may not expect exceptions of a shared budget, so
    // there must be a handler.
    E.may_throw =
        MayThrow && B->throws &&
        canRefuse(/*ToNobody=*/!T.Scopes.ActsOnShared, E.why_not_thrown);
    if (E.may_throw)
      unuse(T, E.size, E.site.type_id);
  }

  if (!E.may_throw) {
    Ignored I(T);
    return B->act(B, &E);
  }
  refuse(P);
  // An exception leaves act() past destructors, so act() itself ends the
  // suspension before it throws.
  suspend(T);
  B->act(B, &E);
  resume(T);
}

void leaveSharedBudget(ThreadState &T) {
  Guarded G(T);
  T.Scopes.ActsOnShared = false;
  Locked L(Shared.Mutex);
  Shared.Acting = Shared.Acting - 1;
}

} // namespace inmem::rt

using namespace inmem::rt;

int inmem_budget_begin(struct inmem_budget *B) {
  return inmem_budget_begin_for(B, 0);
}

int inmem_budget_begin_for(struct inmem_budget *B, uintptr_t Subject) {
  ThreadState &T = Thread;
  B->used_bytes = B->used_blocks = B->excesses = 0;
  for (uint32_t I = 0; I < B->type_count; ++I)
    B->types[I].used_bytes = B->types[I].used_blocks = 0;
  B->owner = 0;
  if (int Not = inmem_scope_possible())
    return Not;
  SlowPath Inside(T);
  auto Self = reinterpret_cast<uintptr_t>(threadPointer());
  Subject = subjectOf(Subject);
  B->pid = processId();
  if (Subject && Subject != Self) {
    Locked L(Process.Mutex);
    {
      Locked Budgets(Shared.Mutex);
      B->owner = Subject;
      B->next = Shared.Budgets;
      Shared.Budgets = B;
      SharedBudgets = SharedBudgets + 1;
    }
    if (closeAllFastPaths())
      return INMEM_SCOPE_OK;
    unlinkShared(*B);
    return INMEM_SCOPE_OFF;
  }
  if (!T.Rows) {
    Locked L(Process.Mutex);
    if (!attachThread(T))
      return INMEM_SCOPE_OFF;
  }
  B->owner = Self;
  B->next = T.Scopes.Budgets;
  T.Scopes.Budgets = B;
  updateFastPath(T);
  return INMEM_SCOPE_OK;
}

int inmem_budget_end(struct inmem_budget *B) {
  ThreadState &T = Thread;
  if (!B->owner)
    return INMEM_SCOPE_OFF;
  {
    SlowPath Inside(T);
    if (B->pid != processId())
      return INMEM_SCOPE_FORKED;
    if (!unlinkShared(*B)) {
      if (!B->owner) // another thread ended it
        return INMEM_SCOPE_OFF;
      if (B->owner != reinterpret_cast<uintptr_t>(threadPointer()))
        return INMEM_SCOPE_WRONG_THREAD;
      B->owner = 0;
      unlink(T.Scopes.Budgets, *B);
      updateFastPath(T);
      return INMEM_SCOPE_OK;
    }
  }
  // The budget's own callback may end it, so this thread's notification is not
  // awaited.
  while (Shared.Acting > T.Scopes.ActsOnShared)
    yieldProcessor();
  return INMEM_SCOPE_OK;
}
