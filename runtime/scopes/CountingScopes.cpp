//===- CountingScopes.cpp - Scopes that subtract counts -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scopes/Scopes.h"

#include "registry/SiteRegistry.h"
#include "scopes/ScopeState.h"

namespace inmem::rt {

using namespace trace;

namespace {

RowCounts countsOf(const Row &R) {
  return {R.Allocations - R.MovedOut, R.Bytes - R.MovedOutBytes, R.Frees,
          R.FreedBytes};
}

bool isHeap(const Row &R) {
  uint8_t Kind = kindOfSite(R.Site);
  return Kind != INMEM_SITE_OBJECT && Kind != INMEM_SITE_HELD;
}

} // namespace

bool copyRows(inmem_scope &S, ThreadRows &B) {
  uint64_t Rows = 0;
  if (RowExtent *E = B.RowExtents)
    Rows = E->First + __atomic_load_n(&E->Extent->Used, __ATOMIC_ACQUIRE);
  RowsBase *Base = S.ThreadBases.add();
  if (!Base || !S.Bases.reserve(S.Bases.Count + Rows))
    return false;
  *Base = {&B, S.Bases.Count, static_cast<uint32_t>(Rows)};
  forEachRowOf(B, [&](uint64_t I, const Row &R) {
    if (I < Rows)
      S.Bases[static_cast<uint32_t>(Base->First + I)] = countsOf(R);
  });
  S.Bases.Count += static_cast<uint32_t>(Rows);
  return true;
}

ThreadRows *rowsOf(uintptr_t ThreadPointer) {
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    if (B->State &&
        reinterpret_cast<uintptr_t>(B->ThreadPointer) == ThreadPointer)
      return B;
  return nullptr;
}

namespace {

/// Adds the counts of \p B since \p Base (null: since the start) to the scope's
/// sites.
void addDifference(inmem_scope &S, const ThreadRows &B, const RowsBase *Base) {
  forEachRowOf(B, [&](uint64_t I, const Row &R) {
    RowCounts C = countsOf(R);
    if (Base && I < Base->Rows) {
      const RowCounts &Old = S.Bases[static_cast<uint32_t>(Base->First + I)];
      C.Allocations -= Old.Allocations;
      C.Bytes -= Old.Bytes;
      C.Frees -= Old.Frees;
      C.FreedBytes -= Old.FreedBytes;
    }
    if (!(C.Allocations | C.Bytes | C.Frees) || !isHeap(R))
      return;
    Tally *Site = S.Sites.at(calledSite(R.Site));
    Tally *Type = S.Types.at(R.Type);
    if (!Site || !Type) {
      S.Incomplete = true;
      return;
    }
    Site->Type = R.Type;
    Tally *const All[] = {Site, Type, &S.Total};
    for (Tally *T : All) {
      T->Allocations += C.Allocations;
      T->Bytes += C.Bytes;
      T->Frees += C.Frees;
      T->FreedBytes += C.FreedBytes;
      T->Live += static_cast<int64_t>(C.Allocations - C.Frees);
      T->LiveBytes += static_cast<int64_t>(C.Bytes - C.FreedBytes);
    }
  });
}

} // namespace

int countDifferences(inmem_scope &S) {
  S.Sites.clear();
  S.Types.clear();
  S.Total = {};
  if (S.Subject == INMEM_ALL_THREADS) {
    for (ThreadRows *B = AllThreadRows; B; B = B->Next) {
      const RowsBase *Base = nullptr;
      for (uint32_t I = 0; I < S.ThreadBases.Count; ++I)
        if (S.ThreadBases[I].Of == B)
          Base = &S.ThreadBases[I];
      addDifference(S, *B, Base);
    }
  } else if (S.ThreadBases.Count) {
    if (S.ThreadBases[0].Of->Tid != S.SubjectTid)
      return INMEM_SCOPE_THREAD_ENDED;
    addDifference(S, *S.ThreadBases[0].Of, &S.ThreadBases[0]);
  }
  S.Total.PeakBytes = -1;
  if (S.Linked) {
    const Cell &C = *Thread.Process;
    S.Total.PeakBytes = S.Live + C.High > S.Peak ? S.Live + C.High : S.Peak;
  }
  return INMEM_SCOPE_OK;
}

void beginAwaited(ThreadRows &B) {
  auto Subject = reinterpret_cast<uintptr_t>(B.ThreadPointer);
  for (inmem_scope **At = &Awaiting; *At;) {
    inmem_scope &S = **At;
    if (S.Subject != Subject) {
      At = &S.Next;
      continue;
    }
    *At = S.Next;
    S.SubjectTid = B.Tid;
    S.Incomplete |= !copyRows(S, B);
  }
}

void watchFlush(ThreadState &T, const Cell &C) {
  for (inmem_scope *S = T.Scopes.Newest; S; S = S->Next) {
    int64_t Candidate = S->Live + C.High;
    S->Peak = Candidate > S->Peak ? Candidate : S->Peak;
    S->Live += C.Delta;
  }
}

} // namespace inmem::rt
