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
  return lifetimeSince(B.birth(), T.LastTicks);
}

} // namespace

constinit bool ReadsClockFirst = false;

namespace {

INMEM_SLOW void freedStepByStep(void *P, Block B) {
  ThreadState &T = Thread;
  SlowEvent Scope(T);
  if (!Scope)
    return countDropped();
  if (INMEM_UNLIKELY(Process.State == InitState::Unborn ||
                     isUnnoticedChild())) {
    // A forked child's first event: the block is among those it inherits.
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
  Slot *S = A ? slotOf(T, B.site()) : nullptr;
  if (!S)
    return countDropped();
  countFree(T, *S, P, B, /*OwnsGuard=*/true);
  if (notesFrees())
    noteFree(T, P, B);
  if (Process.Config.SampleBytes) {
    double Weight = weightOf(B.Size);
    S->R->WeightedFrees += Weight;
    S->R->WeightedFreedBytes += Weight * static_cast<double>(B.Size);
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

INMEM_ASIDE void freedTracedTimed(void *P, Block B) {
  ThreadState &T = Thread;
  QuicklyGuarded G(T);
  countFree(T, T.Slots[B.site()], P, B, /*OwnsGuard=*/true);
  uint64_t Lifetime = lifetimeOf(T, B);
  writeWholeEvent(T, EventKind::Free, B.site(), B.Size, true, &Lifetime);
}

INMEM_INLINE void freedTraced(void *P, Block B) {
  ThreadState &T = Thread;
  if (INMEM_UNLIKELY(T.Guard != 0 || B.site() >= T.Rows->SlotCapacity ||
                     !T.Slots[B.site()].R))
    return freedStepByStep(P, B);
  if (INMEM_UNLIKELY(B.timed()))
    return freedTracedTimed(P, B);
  QuicklyGuarded G(T);
  const Slot S = T.Slots[B.site()];
  if (INMEM_LIKELY(B.Size < kSizeFollows))
    countSmallFree(T, S, P, B);
  else
    countFree(T, S, P, B, /*OwnsGuard=*/true);
  writeEvent(T, EventKind::Free, B.site(), B.Size);
}

INMEM_IN_HOOKS __attribute__((noinline)) void freeTraced(void *P, Block B) {
  freedTraced(P, B);
  Real.free(P);
}

/// frees=, if nothing else needs the slow path.
INMEM_ASIDE void freedNoted(void *P, Block B) {
  ThreadState &T = Thread;
  if (T.Guard != 0 || B.site() >= T.Rows->SlotCapacity || !T.Slots[B.site()].R)
    return freedStepByStep(P, B);
  QuicklyGuarded G(T);
  countFree(T, T.Slots[B.site()], P, B, /*OwnsGuard=*/true);
  noteFree(T, P, B);
}

} // namespace

void freedSlow(void *P, Block B) {
  if (Thread.Mode == RecordMode::Traced)
    return freedTraced(P, B);
  if (Thread.NotesFrees)
    return freedNoted(P, B);
  return freedStepByStep(P, B);
}

void freePastLimit(void *P, Block B, PastLimit Of) {
  ThreadState &T = Thread;
  if (Of == PastLimit::Process)
    liveFell(B.Size, /*OwnsGuard=*/false);
  const Slot S = T.Slots[B.site()];
  if (Of == PastLimit::Process) {
    countFreeIn(T, S.R, P, B);
    subtractLive(S.C, B.Size);
  } else {
    flushCell(S.C);
  }
  if (B.timed())
    countLifetime(P, S.R, B);
  Real.free(P);
}

void freeBlockAside(void *P, Block B) { freeBlock(P, B); }

void freeTimed(void *P, Block B) {
  ThreadState &T = Thread;
  if (T.Lifetimes == LifetimePolicy::InEvents)
    INMEM_TAIL return freeWithEventLifetime(P, B);
  countLifetime(P, T.Slots[B.site()].R, B);
  Real.free(P);
}

void freeSlow(void *P, Block B) {
  if (Thread.Mode == RecordMode::Traced)
    return freeTraced(P, B);
  freedSlow(P, B);
  Real.free(P);
}

void restore(void *P, Block B) {
  ThreadState &T = Thread;
  SlowPath S(T);
  Announced This(T, P);
  putBack(P, B);
}

} // namespace inmem::rt
