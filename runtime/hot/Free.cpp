//===- Free.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Free.h"

#include "hot/EventLifetimes.h"
#include "hot/EventStream.h"
#include "hot/FastPath.h"
#include "hot/Inherited.h"
#include "hot/RecorderSteps.h"
#include "hot/Sampling.h"
#include "hot/Threads.h"
#include "platform/Errors.h"
#include "registry/SiteRegistry.h"
#include "stacks/Frees.h"
#include "state/Features.h"

namespace inmem::rt {

using namespace trace;

namespace {

/// The lifetime of a block that countFree has just counted, if it was timed.
INMEM_INLINE uint64_t lifetimeOf(const ThreadState &T, Block B) {
  return lifetimeSince(B.birth(), T.Clock.LastTicks);
}

} // namespace

constinit bool ReadsClockFirst = false;

namespace {

/// Counts the end of \p B, which interrupted a count, in a separate row.
void countInterruptingFree(ThreadState &T, Row *R, void *P, Block B) {
  addToLiveTotal(T, kProcessCell, -static_cast<int64_t>(B.Size));
  countFreeInRow(T, R, P, B);
  addToLiveTotal(T, R->Type, -static_cast<int64_t>(B.Size));
  if (B.timed())
    countLifetime(P, R, B);
}

// The cases of recordFreeSlow(), which keep the registers of their callers.

/// The general case, under the guard.
INMEM_SLOW void recordFreeStepByStep(void *P, Block B) {
  ThreadState &T = Thread;
  SlowEvent Scope(T);
  if (!Scope)
    return countDropped();
  if (INMEM_UNLIKELY(Process.State == InitState::Unborn ||
                     isUnnoticedChild())) {
    // This is a forked child's first event, and the block is inherited:
    // becoming a child must find the block in the index.
    putBack(P, B);
    bool Started = ensureStarted();
    takeBlock(P);
    if (!Started)
      return;
  }
  if (!ensureStarted())
    return;
  if (B.site() <= Process.InheritedSites)
    return freedInherited(B);
  Attached A(T);
  const Slot S = A ? slotOfEvent(T, B.site()) : Slot();
  if (!S.R)
    return countDropped();
  if (S.C)
    countFree(T, S, P, B, /*OwnsGuard=*/true);
  else
    countInterruptingFree(T, S.R, P, B);
  if (notesFrees())
    noteFree(T, P, B);
  if (Process.Config.SampleBytes) {
    double Weight = weightOf(B.Size);
    S.R->WeightedFrees += Weight;
    S.R->WeightedFreedBytes += Weight * static_cast<double>(B.Size);
    probeFree(P);
  }
  if (Process.WritesEvents) {
    uint64_t Lifetime = lifetimeOf(T, B);
    bool Timed = B.timed();
    writeWholeEvent(T, EventKind::Free, B.site(), B.Size, Timed,
                    Timed ? &Lifetime : nullptr);
  }
  if (watchesFrees(T))
    kFeatures.WatchFree(T, P, B);
}

/// mode=trace: counts the free and writes it with its lifetime.
INMEM_ASIDE void writeTimedFree(void *P, Block B) {
  ThreadState &T = Thread;
  QuicklyGuarded G(T);
  countFree(T, T.Fast.Slots[B.site()], P, B, /*OwnsGuard=*/true);
  uint64_t Lifetime = lifetimeOf(T, B);
  writeWholeEvent(T, EventKind::Free, B.site(), B.Size, true, &Lifetime);
}

/// mode=trace.
INMEM_INLINE INMEM_KEEPS_REGISTERS void recordFreeTraced(void *P, Block B) {
  ThreadState &T = Thread;
  if (INMEM_UNLIKELY(interruptsEvent(T) || B.site() >= T.Rows->SlotCapacity ||
                     !T.Fast.Slots[B.site()].R))
    return recordFreeStepByStep(P, B);
  if (INMEM_UNLIKELY(B.timed()))
    return writeTimedFree(P, B);
  QuicklyGuarded G(T);
  const Slot S = T.Fast.Slots[B.site()];
  if (INMEM_LIKELY(B.Size < kSizeFollows))
    countSmallFree(T, S, P, B);
  else
    countFree(T, S, P, B, /*OwnsGuard=*/true);
  writeEvent(T, EventKind::Free, B.site(), B.Size);
}

INMEM_IN_HOOKS __attribute__((noinline)) void freeTraced(void *P, Block B) {
  recordFreeTraced(P, B);
  Real.free(P);
}

/// frees=, if nothing else needs the slow path.
INMEM_ASIDE void recordNotedFree(void *P, Block B) {
  ThreadState &T = Thread;
  if (interruptsEvent(T) || B.site() >= T.Rows->SlotCapacity ||
      !T.Fast.Slots[B.site()].R)
    return recordFreeStepByStep(P, B);
  QuicklyGuarded G(T);
  countFree(T, T.Fast.Slots[B.site()], P, B, /*OwnsGuard=*/true);
  noteFree(T, P, B);
}

} // namespace

void recordFreeSlow(void *P, Block B) {
  if (Thread.Fast.Mode == RecordMode::Traced)
    return recordFreeTraced(P, B);
  if (Thread.Fast.NotesFrees)
    return recordNotedFree(P, B);
  return recordFreeStepByStep(P, B);
}

void freeTimedSmall(void *P, Block B) { freeAny(P, B); }

void freePastProcessLimit(void *P, Block B) {
  ThreadState &T = Thread;
  const Slot S = T.Fast.Slots[B.site()];
  {
    const Counting Now(T);
    liveFell(B.Size, /*OwnsGuard=*/false);
    countFreeInRow(T, S.R, P, B);
    subtractLive(S.C, B.Size);
  }
  if (B.timed())
    countLifetime(P, S.R, B);
  Real.free(P);
}

void freePastTypeLimit(void *P, Block B) {
  ThreadState &T = Thread;
  const Slot S = T.Fast.Slots[B.site()];
  {
    const Counting Now(T);
    flushCell(S.C);
  }
  if (B.timed())
    countLifetime(P, S.R, B);
  Real.free(P);
}

void freeTimed(void *P, Block B) {
  ThreadState &T = Thread;
  if (T.Fast.Lifetimes == LifetimePolicy::InEvents)
    INMEM_TAIL return freeTimedByEvents(P, B);
  countLifetime(P, T.Fast.Slots[B.site()].R, B);
  Real.free(P);
}

void freeSlow(void *P, Block B) {
  if (Thread.Fast.Mode == RecordMode::Traced)
    return freeTraced(P, B);
  recordFreeSlow(P, B);
  Real.free(P);
}

void restore(void *P, Block B) {
  ThreadState &T = Thread;
  SlowPath S(T);
  Announced This(T, P);
  putBack(P, B);
}

} // namespace inmem::rt
