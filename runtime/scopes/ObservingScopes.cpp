//===- ObservingScopes.cpp - Scopes that follow each block ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scopes/Scopes.h"

#include "registry/SiteRegistry.h"
#include "scopes/ScopeState.h"

namespace inmem::rt {

using namespace trace;

void settle(inmem_scope &S, uint64_t Now, bool Last) {
  auto Drop = [&](const Follow &F, auto Action) {
    uint32_t Type = typeOfSite(F.Site);
    Tally *Site = S.Sites.find(F.Site), *Kind = S.Types.find(Type);
    Tally *const All[] = {Site, Kind, &S.Total};
    for (Tally *T : All)
      if (T)
        Action(*T);
  };
  OrderedMap<Tally> *const Maps[] = {&S.Sites, &S.Types};
  for (OrderedMap<Tally> *M : Maps)
    for (uint32_t I = 0; I < M->count(); ++I)
      (*M)[I].Age = 0;
  S.Total.Age = 0;
  for (uint32_t I = S.Followed.count(); I-- > 0;) {
    Follow &F = S.Followed[I];
    Block B = peekBlock(reinterpret_cast<void *>(F.Key));
    if (B.birth() != F.Birth || B.Size != F.Size) {
      if (isShared(S) && !Last)
        continue;
      Drop(F, [&](Tally &T) { T.lose(F.Size); });
      S.Followed.remove(&F);
      continue;
    }
    uint64_t Age = lifetimeSince(F.Birth, Now);
    Drop(F, [&](Tally &T) { T.Age = Age > T.Age ? Age : T.Age; });
  }
}

namespace {

/// True if a shared scope counts the thread's allocations.
bool isSubject(inmem_scope &S, const ThreadState &T) {
  if (S.Subject == INMEM_ALL_THREADS)
    return true;
  if (S.Subject != reinterpret_cast<uintptr_t>(threadPointer()) || !T.Rows)
    return false;
  if (!S.SubjectTid)
    S.SubjectTid = T.Rows->Tid;
  return S.SubjectTid == T.Rows->Tid; // else a later thread reuses its memory
}

template <class Action> void forEachObserver(ThreadState &T, Action Act) {
  bool Any = false;
  for (inmem_scope *S = T.Scopes.Newest; S; S = S->Next) {
    Any |= S->GivenUp;
    if (S->Observes && !S->GivenUp)
      change(*S, [&] { Act(*S, /*OfSubject=*/true); });
  }
  if (INMEM_UNLIKELY(Any))
    dropGivenUp(T);
  if (SharedObservers) {
    Locked L(Shared.Mutex);
    for (inmem_scope *S = Shared.Scopes; S; S = S->Next)
      change(*S, [&] { Act(*S, isSubject(*S, T)); });
  }
}

/// Applies \p Act to the tallies of site, type and total; false when out of
/// memory.
template <class Action> bool tally(inmem_scope &S, uint32_t Site, Action Act) {
  uint32_t TypeIndex = typeOfSite(Site);
  Tally *One = S.Sites.at(Site), *Type = S.Types.at(TypeIndex);
  if (!One || !Type)
    return !(S.Incomplete = true);
  One->Type = TypeIndex;
  Tally *const All[] = {One, Type, &S.Total};
  for (Tally *T : All)
    Act(*T);
  return true;
}

bool leavesOut(const inmem_scope &S, uint32_t Site) {
  const struct inmem_site *Source =
      S.LeftOut ? sourceOfSite(plainSite(Site)) : nullptr;
  return Source && Source->kind == INMEM_SITE_CALLER &&
         reinterpret_cast<const CallerSite *>(Source)->Owner == S.LeftOut;
}

} // namespace

void watchAllocation(ThreadState &T, void *P, uint64_t Size, uint32_t Id) {
  Id = calledSite(Id);
  // The block's entry in the index has its birth.
  uint64_t Birth = peekBlock(P).birth();
  forEachObserver(T, [&](inmem_scope &S, bool OfSubject) {
    if (!OfSubject || leavesOut(S, Id))
      return;
    if (!tally(S, Id, [&](Tally &One) { One.allocate(Size); }))
      return;
    Follow *F = S.Followed.at(reinterpret_cast<uintptr_t>(P));
    if (!F) {
      S.Incomplete = true;
      return;
    }
    if (F->Birth) // another thread freed the previous block here
      tally(S, F->Site, [&](Tally &One) { One.lose(F->Size); });
    F->Site = Id;
    F->Size = Size;
    F->Birth = Birth;
  });
  useBudgets(T, Size, Id);
}

void watchFree(ThreadState &T, void *P, Block B) {
  forEachObserver(T, [&](inmem_scope &S, bool OfSubject) {
    if (leavesOut(S, calledSite(B.site())))
      return;
    if (OfSubject && !tally(S, calledSite(B.site()), [&](Tally &One) {
          One.Frees += 1;
          One.FreedBytes += B.Size;
        }))
      return;
    Follow *F = S.Followed.find(reinterpret_cast<uintptr_t>(P));
    if (!F)
      return;
    bool Same = F->Birth == B.birth();
    uint64_t Lifetime = lifetimeSince(B.birth(), T.Clock.LastTicks);
    tally(S, F->Site, [&](Tally &One) {
      One.lose(F->Size);
      if (Same)
        One.enterLifetime(Lifetime);
    });
    S.Followed.remove(F);
  });
}

void watchMove(ThreadState &T, void *P, Block B, uint32_t From) {
  From = calledSite(From);
  uint32_t To = calledSite(B.site());
  forEachObserver(T, [&](inmem_scope &S, bool) {
    Follow *F = S.Followed.find(reinterpret_cast<uintptr_t>(P));
    if (!F || F->Site != From)
      return;
    // Both calls change the total, and cancel out except for the peak, which is
    // restored.
    int64_t Peak = S.Total.PeakBytes;
    tally(S, From, [&](Tally &One) {
      One.Allocations -= 1;
      One.Bytes -= B.Size;
      One.lose(B.Size);
    });
    tally(S, To, [&](Tally &One) { One.allocate(B.Size); });
    S.Total.PeakBytes = Peak;
    F->Site = To;
  });
}

} // namespace inmem::rt
