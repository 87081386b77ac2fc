//===- Lifetimes.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Lifetimes.h"

#include "hot/EventLifetimes.h"
#include "state/SlowPath.h"

namespace inmem::rt {

using namespace trace;

uint64_t generalTicks() {
  if (Process.Config.Clock.Index == Options::ClockEvents)
    return bytesSoFar(Thread);
  if (Thread.Fast.HasNoClock)
    return Thread.Clock.LastTicks;
  return monotonicNs() >> kTickShift;
}

void ageBirths(uint64_t Now) {
  ThreadState &T = Thread;
  if (Process.Mutex.isOwn() && isInside(T))
    return; // within an interrupted event; the next event does it
  SlowPath S(T);
  Locked L(Process.Mutex);
  uint64_t Last = LastAgingTicks;
  if (Now <= Last || Now - Last < kSaturatedLifetime / 2)
    return; // another thread did it, or this clock lags a little
  if (Last != 0)
    saturateOldBirths(Now, Last);
  __atomic_store_n(&LastAgingTicks, Now, __ATOMIC_RELAXED);
  __atomic_store_n(&NextAgingTicks, Now + kSaturatedLifetime / 2,
                   __ATOMIC_RELAXED);
}

IndexEntry timedEntry(uint32_t Site, bool Thinned) {
  return entryBornAt(ticksNow(Thread), Site, Thinned);
}

static INMEM_ASIDE IndexEntry exactEntry(Row *R, void *, uint64_t) {
  R->Untimed = 0;
  return timedEntry(R->Site, false);
}

static INMEM_ASIDE IndexEntry thinnedEntry(Row *R, void *, uint64_t) {
  if (Thread.Fast.Lifetimes == LifetimePolicy::None) {
    R->Untimed = kThinBy;
    return siteEntry(R->Site);
  }
  const Choice How = choose(R->Untimed, R->Weyl, R->Allocations, R->Site);
  return How == Choice::Untimed ? siteEntry(R->Site)
                                : timedEntry(R->Site, How == Choice::Thinned);
}

IndexEntry chosenEntry(Row *R, void *P, uint64_t Size) {
  const LifetimePolicy Lifetimes = Thread.Fast.Lifetimes;
  if (Lifetimes == LifetimePolicy::InEvents)
    INMEM_TAIL return eventEntry(R, P, Size);
  if (Lifetimes == LifetimePolicy::All)
    INMEM_TAIL return exactEntry(R, P, Size);
  INMEM_TAIL return thinnedEntry(R, P, Size);
}

uint64_t lifetimeWhenAging(uint64_t Birth, uint64_t Now) {
  uint64_t Lifetime = lifetimeSinceLongAgo(Birth, Now, LastAgingTicks);
  ageBirths(Now);
  return Lifetime;
}

void countLifetime(void *P, Row *R, Block B) {
  ThreadState &T = Thread;
  const Counting C(T);
  uint64_t Now;
  if (INMEM_LIKELY(!T.Fast.GeneralClock))
    Now = hardwareTicks() >> kTickShift;
  else if (T.Fast.Lifetimes == LifetimePolicy::InEvents)
    return countEventLifetime(P, R, B);
  else if (T.Fast.HasNoClock)
    return;
  else
    Now = generalTicks();
  uint64_t Lifetime = lifetimeUntil(T, B, Now);
  uint64_t Weight = B.thinned() ? kThinBy : 1;
  // Otherwise clang turns the multiplications into shifts, which take more
  // instructions.
  hideOrigin(Weight);
  enterLifetime(R, Lifetime, Weight, B.Size);
}

} // namespace inmem::rt
