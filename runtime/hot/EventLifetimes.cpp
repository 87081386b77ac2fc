//===- EventLifetimes.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/EventLifetimes.h"

#include "hot/Recorder.h"
#include "hot/Rows.h"
#include "index/GranuleTable.h"

namespace inmem::rt {

using namespace trace;

namespace {

/// The number of the allocation that created the block; 0: none.
constinit GranuleTable<uint64_t> Births;

INMEM_SLOW void noteFirstBirth(void *P, uint64_t Nth) {
  if (uint64_t *Birth = Births.at(P, /*Make=*/true))
    __atomic_store_n(Birth, Nth, __ATOMIC_RELAXED);
}

/// Returns true if \p P, which was just removed from the index, was the only
/// block in its granule. Births of blocks that share one (in the side table)
/// are not stored.
INMEM_SLOW bool ownedGranule(void *P) { return !ownsGranule(P); }

/// Creates the row of lifetimes in allocations that belongs to \p R.
INMEM_SLOW Row *makeRow(Row *R) {
  ThreadState &T = Thread;
  // The event interrupted another one: this lifetime is left out.
  if (Process.Mutex.isOwn() && isInside(T))
    return nullptr;
  SlowPath S(T);
  return addAllocationLifetimes(T, *R);
}

/// The block's lifetime in allocations, from its birth in \p Where.
INMEM_INLINE void countAllocationLifetime(ThreadState &T, void *P,
                                          uint64_t *Where, Row *Of, Block B) {
  const uint64_t Birth = Where ? __atomic_load_n(Where, __ATOMIC_RELAXED) : 0;
  if (INMEM_UNLIKELY(!Birth))
    return;
  if (INMEM_UNLIKELY(__atomic_load_n(&ForeignBlockCount, __ATOMIC_RELAXED)) &&
      !ownedGranule(P))
    return;
  __atomic_store_n(Where, 0, __ATOMIC_RELAXED);
  Row *R;
  if (const uint64_t At = Of->AllocationLifetimes; INMEM_LIKELY(At != 0))
    R = reinterpret_cast<Row *>(TraceBase + At * 64);
  else if (!(R = makeRow(Of)))
    return;
  bump(R->Frees, 1);
  bump(R->FreedBytes, B.Size);
  // The birth may be from a thread whose clock lagged less.
  const uint64_t Now = allocationsSoFar(T),
                 Lifetime = Now > Birth ? Now - Birth : 0;
  constexpr uint64_t kLongest = bucketStart(kOctaves, 0) - 1;
  enterLifetime(R, Lifetime < kLongest ? Lifetime : kLongest, 1, B.Size);
}

INMEM_INLINE void countLifetimes(ThreadState &T, void *P, Row *R, Block B) {
  uint64_t *Where = Births.at(P, /*Make=*/false);
  // Both are needed soon, but too far behind the load of the index entry for
  // out-of-order execution to reach them.
  __builtin_prefetch(Where, /*Writes=*/1);
  __builtin_prefetch(static_cast<char *>(P) - sizeof(size_t),
                     1); // malloc's header
  enterLifetime(R, lifetimeUntil(T, B, bytesSoFar(T)), 1, B.Size);
  countAllocationLifetime(T, P, Where, R, B);
}

} // namespace

void tellEvents(ThreadState &T) {
  // A signal handler's event may interrupt at any point here.
  const uint64_t Bytes = T.Clock.OwnBytes, Allocations = T.Clock.OwnAllocations;
  __atomic_fetch_add(&Process.Events.Bytes, Bytes, __ATOMIC_RELAXED);
  drainAlone(T.Clock.OwnBytes, Bytes);
  __atomic_fetch_add(&Process.Events.Allocations, Allocations,
                     __ATOMIC_RELAXED);
  drainAlone(T.Clock.OwnAllocations, Allocations);
}

IndexEntry eventEntry(Row *R, void *P, uint64_t Size) {
  ThreadState &T = Thread;
  R->Untimed = 0;
  bumpAlone(T.Clock.OwnBytes, Size);
  bumpAlone(T.Clock.OwnAllocations, 1);
  if (INMEM_UNLIKELY(T.Clock.OwnBytes >= kTellAfter))
    tellEvents(T);
  if (INMEM_LIKELY(!T.Fast.UsesSideTable)) {
    const uint64_t Nth = allocationsSoFar(T);
    if (uint64_t *Birth = Births.at(P, /*Make=*/false); INMEM_LIKELY(Birth))
      __atomic_store_n(Birth, Nth, __ATOMIC_RELAXED);
    else
      noteFirstBirth(P, Nth);
  }
  return entryBornAt(bytesSoFar(T), R->Site, false);
}

void countEventLifetime(void *P, Row *R, Block B) {
  countLifetimes(Thread, P, R, B);
}

void freeTimedByEvents(void *P, Block B) {
  ThreadState &T = Thread;
  {
    const Counting Now(T);
    countLifetimes(T, P, T.Fast.Slots[B.site()].R, B);
  }
  Real.free(P);
}

} // namespace inmem::rt
