//===- Recorder.h - Counting an event: the hot path ------------------------===//
//
// Called by Hooks.cpp and Interpose.cpp right after an allocation and right
// before a free. No lock, no hash, no system call, no shared counter: the
// site record, this thread's slot, row and cells, and the live index. Whatever
// is unusual (first use of a site, sampling, mode=trace, a stopped recorder,
// the guard) has slots that are 0 and goes to Recorder.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RECORDER_H
#define INMEM_RUNTIME_RECORDER_H

#include "Clock.h"
#include "LiveIndex.h"
#include "ThreadState.h"
#include "TraceFile.h"

namespace inmem::rt {

/// The slow paths. They keep errno and set the guard.
INMEM_COLD void allocatedSlow(void *P, uint64_t Size, struct inmem_site *Site,
                              bool Reallocated);
INMEM_COLD void freedSlow(void *P, const Block &B);
/// Adds what a cell holds to its total; sets its next limit.
INMEM_COLD void flushCell(trace::Cell *C);
/// A row's bucket block for octave \p O; null if there is no room.
INMEM_COLD trace::Octave *makeOctave(trace::Row *R, unsigned O);
/// Current time for the general case (clock=events or no usable TSC).
INMEM_COLD uint64_t generalTicks();

/// What an allocation without a site of its own records: __inmem_expect's
/// site, or that of the caller. With the caller's return address.
INMEM_COLD void allocatedByUnknown(void *P, uint64_t Size,
                                   uintptr_t ReturnAddress, uint32_t OldSite);
/// The rest of realloc: a block at \p P that took over from one of \p OldSite
/// (0: there was none). Keeps the old site's type where \p Site has none.
void reallocated(void *P, uint64_t Size, struct inmem_site *Site,
                 uint32_t OldSite);
/// Gives the block at \p P, if it is one, to \p Site.
void retag(void *P, struct inmem_site *Site);

/// Suspends recording on this thread; nests (Replaced.c).
void suspend(ThreadState &T);
void resume(ThreadState &T);

/// How much a life stands for that was timed after ExactLives.
extern uint32_t ThinBy;

INMEM_INLINE uint64_t ticksNow(const ThreadState &T) {
  return INMEM_UNLIKELY(T.EventsClock) ? generalTicks()
                                       : hardwareTicks() >> kTickShift;
}

/// Now as a birth: never 0, which means "not timed".
INMEM_INLINE uint64_t birthNow(const ThreadState &T) {
  uint64_t Birth = ticksNow(T) & kBirthMask;
  return Birth ? Birth : 1;
}

/// Ticks from \p Birth to now. A clock that differs between cores could give
/// slightly less than nothing: that is 0.
INMEM_INLINE uint64_t lifeSince(uint64_t Birth, uint64_t Now) {
  uint64_t Life = (Now - Birth) & kBirthMask;
  return INMEM_UNLIKELY(Life > kBirthMask - (uint64_t{1} << 24)) ? 0 : Life;
}

/// Is the \p Nth life of a row timed, and for how many does it stand? Weyl's
/// sequence spreads the chosen ones evenly (docs/performance.md).
INMEM_INLINE bool isTimed(const ThreadState &T, uint64_t Nth, bool &Thinned) {
  if (Nth <= T.ExactLives)
    return true;
  Thinned = true;
  return static_cast<uint32_t>(Nth) * 0x9E3779B1u < T.ThinLimit;
}

INMEM_INLINE void addLive(trace::Cell *C, uint64_t Bytes) {
  int64_t Delta = C->Delta + static_cast<int64_t>(Bytes);
  C->Delta = Delta;
  if (Delta > C->High) {
    C->High = Delta;
    if (INMEM_UNLIKELY(Delta > C->Limit))
      flushCell(C);
  }
}

INMEM_INLINE void subtractLive(trace::Cell *C, uint64_t Bytes) {
  int64_t Delta = C->Delta - static_cast<int64_t>(Bytes);
  C->Delta = Delta;
  if (INMEM_UNLIKELY(Delta < -C->Limit))
    flushCell(C);
}

/// Counts an allocation in \p S, which must be set up.
INMEM_INLINE void countAllocation(ThreadState &T, const Slot &S, void *P,
                                  uint64_t Size, uint32_t Site) {
  Block B{Site, false, 0, Size};
  uint64_t Nth = S.R->Allocations + 1;
  S.R->Allocations = Nth;
  S.R->Bytes += Size;
  addLive(S.C, Size);
  addLive(T.Process, Size);
  T.LastAllocated = P;
  if (isTimed(T, Nth, B.Thinned))
    B.Birth = birthNow(T);
  if (INMEM_UNLIKELY(!addBlock(P, B)))
    addForeign(P, B);
}

INMEM_INLINE void countLife(trace::Row *R, const Block &B, uint64_t Now) {
  uint64_t Life = lifeSince(B.Birth, Now);
  uint64_t Weight = B.Thinned ? ThinBy : 1;
  if (R->Timed++ == 0 || Life < R->MinTicks)
    R->MinTicks = Life;
  if (Life > R->MaxTicks)
    R->MaxTicks = Life;
  R->WeightedTimed += Weight;
  R->SumTicks += Weight * Life;
  unsigned O = trace::octaveOf(Life);
  trace::Octave *Buckets =
      R->Octaves[O] ? reinterpret_cast<trace::Octave *>(
                          TraceBase + uint64_t{R->Octaves[O]} * 64)
                    : makeOctave(R, O);
  if (INMEM_UNLIKELY(!Buckets))
    return;
  auto &Bucket = Buckets->Buckets[trace::bucketInOctave(Life)];
  Bucket.Count += Weight;
  Bucket.Bytes += Weight * B.Size;
}

INMEM_INLINE void countFree(ThreadState &T, const Slot &S, void *P,
                            const Block &B) {
  S.R->Frees += 1;
  S.R->FreedBytes += B.Size;
  if (T.LastAllocated == P) {
    S.R->Temporary += 1;
    T.LastAllocated = nullptr;
  }
  subtractLive(S.C, B.Size);
  subtractLive(T.Process, B.Size);
  if (B.Birth)
    countLife(S.R, B, ticksNow(T));
}

/// The block [P, P + Size) now exists and belongs to \p Site. A request of 0
/// bytes counts as 1, as DHAT does.
INMEM_INLINE void allocated(void *P, uint64_t Size, struct inmem_site *Site) {
  ThreadState &T = Thread;
  Size += Size == 0;
  uint32_t Id = Site->id;
  if (INMEM_LIKELY(Id < T.AllocateSlots)) {
    Slot S = T.Slots[Id];
    if (INMEM_LIKELY(S.R != nullptr)) {
      countAllocation(T, S, P, Size, Id);
      return;
    }
  }
  allocatedSlow(P, Size, Site, false);
}

/// The block \p B, already taken out of the index, is about to be freed.
INMEM_INLINE void freedBlock(void *P, const Block &B) {
  ThreadState &T = Thread;
  if (INMEM_LIKELY(B.Site < T.FreeSlots)) {
    Slot S = T.Slots[B.Site];
    if (INMEM_LIKELY(S.R != nullptr)) {
      countFree(T, S, P, B);
      return;
    }
  }
  freedSlow(P, B);
}

/// The block at \p P, if it is one of ours, is about to be freed.
INMEM_INLINE bool freed(void *P) {
  Block B;
  if (!takeBlock(P, B))
    return false;
  freedBlock(P, B);
  return true;
}

} // namespace inmem::rt

#endif
