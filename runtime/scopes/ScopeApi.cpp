//===- ScopeApi.cpp - scope_api.h but for budgets -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Cells.h"
#include "platform/Mappings.h"
#include "platform/Process.h"
#include "registry/SiteRegistry.h"
#include "scopes/ScopeState.h"
#include "scopes/Scopes.h"
#include "state/Runtime.h"

namespace inmem::rt {

using namespace trace;

namespace {

uint64_t nanoseconds(uint64_t Ticks) {
  const FileHeader &H = *Process.Trace.header();
  if (H.Clock == ClockKind::Events)
    return Ticks;
  const uint64_t PerSecond = // updateClock() refines it
      __atomic_load_n(&H.TicksPerSecond, __ATOMIC_RELAXED);
  double Scale = PerSecond ? 1e9 / static_cast<double>(PerSecond) : 1;
  return static_cast<uint64_t>(static_cast<double>(Ticks) *
                               static_cast<double>(uint64_t{1} << H.TickShift) *
                               Scale);
}

inmem_scope_counts resultOf(const Tally &T, const inmem_scope &S) {
  inmem_scope_counts R = {};
  R.allocations = T.Allocations;
  R.allocated_bytes = T.Bytes;
  R.frees = T.Frees;
  R.freed_bytes = T.FreedBytes;
  R.live = T.Live;
  R.live_bytes = T.LiveBytes;
  R.peak_bytes = S.Observes || &T == &S.Total ? T.PeakBytes : -1;
  R.lives = T.Lifetimes;
  R.longest_ns = nanoseconds(T.Longest);
  R.sum_ns = nanoseconds(T.Sum);
  R.age_ns = nanoseconds(T.Age);
  return R;
}

/// \returns INMEM_SCOPE_OK if the calling thread may use \p S now, else the
/// reason why not
int checkUse(const inmem_scope &S) {
  if (S.Pid != processId())
    return INMEM_SCOPE_FORKED;
  if (Process.State == InitState::Off)
    return INMEM_SCOPE_OFF;
  bool OneThread = S.Subject == reinterpret_cast<uintptr_t>(S.Opener);
  if (OneThread && S.Opener != threadPointer())
    return INMEM_SCOPE_WRONG_THREAD;
  return INMEM_SCOPE_OK;
}

/// Updates the scope's tallies, for the \p Last time if it ends. Needs the
/// mutex. Call after checkUse().
int refreshLocked(inmem_scope &S, bool Last = false) {
  int Status = INMEM_SCOPE_OK;
  updateClock();
  if (!S.Ended) {
    if (S.Observes) {
      Locked Tallies(Shared.Mutex);
      change(S, [&] { settle(S, ticksNow(Thread), Last); });
    } else
      Status = countDifferences(S);
  }
  if (Process.State ==
      InitState::Off) // the values may come from a truncated file
    return INMEM_SCOPE_OFF;
  return Status ? Status : S.Incomplete ? INMEM_SCOPE_INCOMPLETE : Status;
}

bool isKnown(int Status) {
  return Status == INMEM_SCOPE_OK || Status == INMEM_SCOPE_INCOMPLETE;
}

} // namespace

} // namespace inmem::rt

using namespace inmem::rt;

int inmem_scope_possible(void) {
  ThreadState &T = Thread;
  SlowPath Inside(T);
  if (!ensureStarted() || !Process.Recording)
    return INMEM_SCOPE_OFF;
  const Options &O = Process.Config;
  if (Process.Filtered || O.Include.Value[0] || O.Exclude.Value[0])
    return INMEM_SCOPE_SAMPLED;
  return INMEM_SCOPE_OK;
}

int inmem_scope_lives_in_ns(void) {
  return Process.Config.Clock.Index != Options::ClockEvents;
}

/// Needs the mutex. On failure the scope is free again.
static bool beginShared(inmem_scope &S) {
  if (S.Subject != INMEM_ALL_THREADS)
    if (const ThreadRows *B = rowsOf(S.Subject))
      S.SubjectTid = B->Tid;
  {
    Locked L(Shared.Mutex);
    S.Next = Shared.Scopes;
    Shared.Scopes = &S;
    SharedObservers = SharedObservers + 1;
  }
  if (closeAllFastPaths())
    return true;
  unlinkShared(S);
  recycleScope(S);
  return false;
}

/// An unused scope, in no list; null when out of memory. Needs the mutex.
static inmem_scope *takeScope(int Kind, uintptr_t Subject) {
  inmem_scope *S = FreeScopes;
  if (S)
    FreeScopes = S->Next;
  else
    S = static_cast<inmem_scope *>(arenaAllocate(sizeof(inmem_scope)));
  if (!S)
    return nullptr;
  auto Self = reinterpret_cast<uintptr_t>(threadPointer());
  S->Next = nullptr;
  S->Pid = processId();
  S->Observes = Kind == INMEM_SCOPE_OBSERVE;
  S->Ended = S->GivenUp = S->Incomplete = false;
  S->Subject = Subject ? Subject : Self;
  S->Opener = threadPointer();
  S->SubjectTid = 0;
  S->Live = S->Peak = 0;
  S->ThreadBases.Count = S->Bases.Count = 0;
  S->Sites.clear();
  S->Types.clear();
  S->Followed.clear();
  S->Total = {};
  S->LeftOut = nullptr;
  S->Linked = S->Subject == Self;
  return S;
}

struct inmem_scope *inmem_scope_begin(int Kind, uintptr_t Subject) {
  ThreadState &T = Thread;
  if (isInside(T) || inmem_scope_possible() != INMEM_SCOPE_OK)
    return nullptr;
  SlowPath Inside(T);
  Subject = subjectOf(Subject);
  if (T.Scopes.Newest)
    dropGivenUp(T);
  if (!T.Rows) {
    Locked L(Process.Mutex);
    if (!attachThread(T))
      return nullptr;
  }
  flushCell(T.Process); // also updates the enclosing scopes; takes the mutex
  Locked L(Process.Mutex);
  inmem_scope *S = takeScope(Kind, Subject);
  if (!S)
    return nullptr;
  if (S->Linked) {
    S->Next = T.Scopes.Newest;
    T.Scopes.Newest = S;
    S->SubjectTid = T.Rows->Tid;
  }
  if (isShared(*S))
    return beginShared(*S) ? S : nullptr;
  if (S->Observes) {
    ++T.Scopes.Observers;
    updateFastPath(T);
    return S;
  }
  bool Copied = true;
  if (S->Linked) {
    Copied = copyRows(*S, *T.Rows);
  } else if (Subject == INMEM_ALL_THREADS) {
    for (ThreadRows *B = AllThreadRows; B; B = B->Next)
      Copied &= copyRows(*S, *B);
  } else if (ThreadRows *B = rowsOf(Subject)) {
    S->SubjectTid = B->Tid;
    Copied = copyRows(*S, *B);
  } else {
    S->Next = Awaiting;
    Awaiting = S;
  }
  S->Incomplete = !Copied;
  return S;
}

int inmem_scope_leave_out(struct inmem_scope *S, const void *Code) {
  SlowPath Inside(Thread);
  if (int Wrong = checkUse(*S))
    return Wrong;
  const Module *Found = findModule(reinterpret_cast<uintptr_t>(Code));
  Locked L(Shared.Mutex);
  S->LeftOut = Found;
  return INMEM_SCOPE_OK;
}

int inmem_scope_end(struct inmem_scope *S) {
  ThreadState &T = Thread;
  SlowPath Inside(T);
  int Status = checkUse(*S);
  if (Status == INMEM_SCOPE_WRONG_THREAD || Status == INMEM_SCOPE_FORKED)
    return Status;
  Locked L(Process.Mutex); // several threads may end a shared scope
  if (Status == INMEM_SCOPE_OK)
    Status = refreshLocked(*S, /*Last=*/true);
  if (isShared(*S) && !S->Ended)
    unlinkShared(*S);
  S->Ended = true;
  if (S->Linked)
    unlinkScope(T, *S);
  return Status;
}

int inmem_scope_read(struct inmem_scope *S, struct inmem_scope_counts *Totals) {
  SlowPath Inside(Thread);
  *Totals = {};
  if (int Wrong = checkUse(*S))
    return Wrong;
  Locked L(Process.Mutex);
  const int Status = refreshLocked(*S);
  Locked Tallies(Shared.Mutex);
  if (isKnown(Status))
    *Totals = resultOf(S->Total, *S);
  return Status;
}

/// A copy of state that other threads may change as soon as no lock is held.
/// The caller unmaps it; null when out of memory. Needs the mutex.
static Tally *copyOf(OrderedMap<Tally> &All, uint32_t &Count) {
  Locked Tallies(Shared.Mutex);
  Count = All.count();
  auto *Copy = static_cast<Tally *>(mapPages((Count + 1) * sizeof(Tally)));
  for (uint32_t I = 0; Copy && I < Count; ++I)
    Copy[I] = All[I];
  return Copy;
}

/// Calls \p Tell with each tally of \p Which that has events. Outside the
/// guard, because the callback may allocate; its allocations are not recorded.
template <class Visitor>
static int visitTallies(inmem_scope &S, OrderedMap<Tally> inmem_scope::*Which,
                        Visitor Tell) {
  ThreadState &T = Thread;
  OrderedMap<Tally> &All = S.*Which;
  const bool OfOneThread = S.Subject == reinterpret_cast<uintptr_t>(S.Opener);
  Tally *Copy = nullptr;
  uint32_t Count;
  {
    SlowPath Inside(T);
    if (int Wrong = checkUse(S))
      return Wrong;
    Locked L(Process.Mutex);
    const int Status = refreshLocked(S);
    if (!isKnown(Status))
      return Status;
    Count = All.count();
    if (!OfOneThread && !(Copy = copyOf(All, Count)))
      return INMEM_SCOPE_INCOMPLETE;
  }
  {
    Ignored Own(T);
    for (uint32_t I = 0; I < Count; ++I) {
      const Tally One = Copy ? Copy[I] : All[I];
      if (One.Allocations | One.Frees)
        Tell(One);
    }
  }
  if (Copy)
    unmapPages(Copy, (Count + 1) * sizeof(Tally));
  return S.Incomplete ? INMEM_SCOPE_INCOMPLETE : INMEM_SCOPE_OK;
}

int inmem_scope_sites(struct inmem_scope *S,
                      void (*Visit)(const struct inmem_scope_site *, void *),
                      void *Data) {
  return visitTallies(*S, &inmem_scope::Sites, [&](const Tally &Site) {
    struct inmem_source_location Places[kMostPlaces];
    inmem_scope_site R;
    {
      SlowPath Inside(Thread);
      R = describe(Site.Key, Places);
      R.counts = resultOf(Site, *S);
      R.counts.peak_bytes = -1;
    }
    Visit(&R, Data);
  });
}

int inmem_scope_types(struct inmem_scope *S,
                      void (*Visit)(const struct inmem_scope_type *, void *),
                      void *Data) {
  return visitTallies(*S, &inmem_scope::Types, [&](const Tally &Type) {
    inmem_scope_type R = {nameOfType(Type.Key), idOfType(Type.Key),
                          sizeOfType(Type.Key), resultOf(Type, *S)};
    Visit(&R, Data);
  });
}

int inmem_scope_free(struct inmem_scope *S) {
  ThreadState &T = Thread;
  SlowPath Inside(T);
  if (S->Pid != processId())
    return INMEM_SCOPE_FORKED;
  if (S->Linked && S->Opener != threadPointer()) {
    S->GivenUp = true;
    return INMEM_SCOPE_WRONG_THREAD;
  }
  if (isShared(*S) && !S->Ended)
    unlinkShared(*S);
  if (S->Linked)
    unlinkScope(T, *S);
  Locked L(Process.Mutex);
  recycleScope(*S);
  return INMEM_SCOPE_OK;
}

void inmem_ignore_begin(void) {
  ThreadState &T = Thread;
  T.Operators.IgnoredSite = nullptr;
  suspend(T);
}

void inmem_ignore_end(void) {
  ThreadState &T = Thread;
  SlowPath Inside(T);
  resume(T);
}

uint64_t inmem_ignored_type(void) {
  const struct inmem_site *Site = Thread.Operators.IgnoredSite;
  const auto *Type = Site ? relative<struct inmem_type>(Site->type) : nullptr;
  return Type ? Type->id : 0;
}
