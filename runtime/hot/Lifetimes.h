//===- Lifetimes.h - When lifetimes begin and how long they were ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_LIFETIMES_H
#define INMEM_RUNTIME_LIFETIMES_H

#include "hot/Cells.h"
#include "hot/Rows.h"
#include "hot/Thinning.h"
#include "index/LiveIndex.h"
#include "platform/HardwareClock.h"
#include "state/Runtime.h"

namespace inmem::rt {

/// Current time for the general case (clock=events or no usable TSC).
INMEM_SLOW uint64_t generalTicks();

INMEM_INLINE uint64_t ticksNow(const ThreadState &T) {
  return INMEM_UNLIKELY(T.Fast.GeneralClock) ? generalTicks()
                                             : hardwareTicks() >> kTickShift;
}

/// Saturates births that would soon be ambiguous (LiveIndex.h).
INMEM_SLOW void ageBirths(uint64_t Now);

INMEM_INLINE bool agingIsDue(uint64_t Now) {
  return Now >= __atomic_load_n(&NextAgingTicks, __ATOMIC_RELAXED);
}

/// Ticks from \p Birth to \p Now while an aging pass is due.
INMEM_SLOW uint64_t lifetimeWhenAging(uint64_t Birth, uint64_t Now);

/// Stores and returns the time of a birth or an end on \p T, which is attached.
/// The trace stores it too: the last known time of a process that is killed.
INMEM_INLINE uint64_t keepTime(ThreadState &T, uint64_t Now) {
  T.Clock.LastTicks = Now;
  // The process's cell is the first of its extent (Threads.cpp).
  auto *Extent = reinterpret_cast<trace::ExtentHeader *>(T.Process) - 1;
  return Extent->LastTicks = Now;
}

/// Lifetime in ticks of \p B, which ends \p Now.
INMEM_INLINE uint64_t lifetimeUntil(ThreadState &T, Block B, uint64_t Now) {
  keepTime(T, Now);
  return INMEM_UNLIKELY(agingIsDue(Now)) ? lifetimeWhenAging(B.birth(), Now)
                                         : lifetimeOfEntry(B.Value, Now);
}

/// The entry, without a size, of a timed block that is born \p Now.
INMEM_INLINE IndexEntry entryBornAt(uint64_t Now, uint32_t Site, bool Thinned) {
  keepTime(Thread, Now);
  if (INMEM_UNLIKELY(agingIsDue(Now)))
    ageBirths(Now);
  return makeEntry(Site, 0, Thinned, 0) | bornAt(Now);
}
/// As entryBornAt(), with the current time.
INMEM_ASIDE IndexEntry timedEntry(uint32_t Site, bool Thinned);
/// The entry, without a size, of the block of \p Size bytes at \p P, which was
/// just counted in \p R and is the one that the row's countdown has selected.
/// Out of line, because clock=auto selects few blocks.
INMEM_ASIDE IndexEntry chosenEntry(trace::Row *R, void *P, uint64_t Size);

/// Adds the lifetime of the block \p B at \p P, which ends now, to its row.
__attribute__((noinline)) void countLifetime(void *P, trace::Row *R, Block B);

/// Adds a lifetime in ticks to a row's histogram.
INMEM_INLINE void enterLifetime(trace::Row *R, uint64_t Lifetime,
                                uint64_t Weight, uint64_t Bytes) {
  using namespace trace;
  if (R->Timed++ == 0 || Lifetime < R->MinTicks)
    R->MinTicks = Lifetime;
  if (Lifetime > R->MaxTicks)
    R->MaxTicks = Lifetime;
  R->WeightedTimed += Weight;
  R->SumTicks += Weight * Lifetime;
  unsigned Below = bitsBelowBucket(Lifetime);
  hideOrigin(Below); // or clang computes it twice
  const unsigned O = octaveOf(Lifetime, Below);
  Octave *Buckets;
  if (const uint64_t Offset = R->Octaves[O]; INMEM_LIKELY(Offset != 0))
    Buckets = reinterpret_cast<Octave *>(TraceBase + Offset * 64);
  else if (!(Buckets = makeOctave(R, O)))
    return;
  auto &Bucket = Buckets->Buckets[bucketInOctave(Lifetime, Below)];
  bump(Bucket.Count, Weight);
  bump(Bucket.Bytes, Weight * Bytes);
}

} // namespace inmem::rt

#endif
