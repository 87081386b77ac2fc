//===- Recorder.h - Counting an event: the hot path -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by Hooks.cpp right after an allocation and right before a free. No
// lock, no hash, no system call, no shared counter: the site record, this
// thread's slot, row and cells, and the live index. Everything else (first use
// of a site, sampling, mode=trace, a stopped recorder, the guard) finds slots
// that are 0 and goes to Recorder.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RECORDER_H
#define INMEM_RUNTIME_RECORDER_H

#include "allocator/Allocator.h"
#include "hot/Thinning.h"
#include "index/LiveIndex.h"
#include "platform/HardwareClock.h"
#include "state/Runtime.h"
#include "state/SlowPath.h"
#include "state/ThreadState.h"

namespace inmem::rt {

/// The slow paths. They keep errno and set the guard. Those that record an
/// allocation return its address, and freeSlow frees the memory: hooks
/// tail-call them.
INMEM_COLD INMEM_CALLED void *allocatedSlow(void *P, uint64_t Size,
                                            struct inmem_site *Site);
INMEM_SLOW void freedSlow(void *P, Block B);
INMEM_IN_HOOKS __attribute__((noinline)) void freeSlow(void *P, Block B);
/// Adds what a cell holds to its total; sets its next limit.
INMEM_SLOW void flushCell(trace::Cell *C);
/// A row's bucket block for octave \p O; null if there is no room.
INMEM_SLOW trace::Octave *makeOctave(trace::Row *R, unsigned O);
/// Current time for the general case (clock=events or no usable TSC).
INMEM_SLOW uint64_t generalTicks();

INMEM_COLD INMEM_CALLED void *
allocatedByUnknownSlow(void *P, uint64_t Size, uintptr_t ReturnAddress,
                       const uintptr_t *Back, uint32_t OldSite, bool MayThrow);
INMEM_COLD INMEM_CALLED void *reallocatedSlow(void *P, uint64_t Size,
                                              struct inmem_site *Site,
                                              uint32_t OldSite);
/// Gives the block at \p P, if it is one, to \p Site.
void retag(void *P, struct inmem_site *Site);
/// The same for a pointer known to be a block, not necessarily the newest. A
/// block that has a type keeps it.
void retagOwned(void *P, struct inmem_site *Site);
/// The size that a call which may have allocated asks for: __inmem_retag_sized.
struct Request {
  uint64_t Unit, A, B;
  INMEM_INLINE bool explains(uint64_t Size) const {
    auto AsksFor = [Size](uint64_t N) { return Size - N < 16 && N; };
    // Division is slow and rarely needed.
    return Size == Unit || ((AsksFor(A) || AsksFor(B) || AsksFor(A * B)) &&
                            (Unit == 1 || (Unit && Size % Unit == 0)));
  }
};
/// An object of \p Type was constructed at \p P: a raw block that begins there
/// and is barely larger gets that type.
void becomeObject(void *P, const struct inmem_type *Type);
/// Gives the newest block to \p Site, which has a type, if the request explains
/// its size and it has no type yet.
void retagSized(void *P, struct inmem_site *Site, uint64_t Unit, uint64_t A,
                uint64_t B);

/// Re-enters a block that the allocator did not free after all.
INMEM_COLD void restore(void *P, Block B);

/// The calling thread's slot of \p Site, whose id it stores in \p Id; without
/// a site, of the site \p Id. False: not to be recorded. With the guard set. A
/// thread that has ended borrows its block for as long as this lives.
class ObjectSlot : public Slot {
public:
  ObjectSlot(ThreadState &T, struct inmem_site *Site, uint32_t &Id);
  ~ObjectSlot();
  ObjectSlot(const ObjectSlot &) = delete;
  ObjectSlot &operator=(const ObjectSlot &) = delete;
  explicit operator bool() const { return R; }

private:
  ThreadState &T;
  bool Borrows = false;
};

/// Until endSideTable, this thread's blocks go into the side table.
void beginSideTable(ThreadState &T);
void endSideTable(ThreadState &T);

/// Suspends recording on this thread, also for signal handlers; nests.
void suspend(ThreadState &T);
void resume(ThreadState &T);

INMEM_INLINE uint64_t ticksNow(const ThreadState &T) {
  return INMEM_UNLIKELY(T.GeneralClock) ? generalTicks()
                                        : hardwareTicks() >> kTickShift;
}

/// Saturates births that would soon be ambiguous (LiveIndex.h).
INMEM_SLOW void ageBirths(uint64_t Now);

INMEM_INLINE bool agingIsDue(uint64_t Now) {
  return Now >= __atomic_load_n(&NextAgingTicks, __ATOMIC_RELAXED);
}

/// Ticks from \p Birth to \p Now while an aging pass is due.
INMEM_SLOW uint64_t lifeWhenAging(uint64_t Birth, uint64_t Now);

/// Stores and returns the time of a birth or an end on \p T, which is attached.
/// The trace keeps it: in a killed process it is the last known time.
INMEM_INLINE uint64_t keepTime(ThreadState &T, uint64_t Now) {
  T.LastTicks = Now;
  // The process's cell is the first of its extent (Threads.cpp).
  auto *Extent = reinterpret_cast<trace::ExtentHeader *>(T.Process) - 1;
  return Extent->LastTicks = Now;
}

/// Lifetime in ticks of \p B, which ends \p Now.
INMEM_INLINE uint64_t lifeUntil(ThreadState &T, Block B, uint64_t Now) {
  keepTime(T, Now);
  return INMEM_UNLIKELY(agingIsDue(Now)) ? lifeWhenAging(B.birth(), Now)
                                         : lifeOfEntry(B.Value, Now);
}

/// Adds to a counter of this thread in one instruction where possible, so that
/// a signal handler's additions are not lost.
template <class Integer> INMEM_INLINE void bump(Integer &Counter, uint64_t By) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  __asm__ volatile("addq %1, %0" : "+m"(Counter) : "er"(By) : "cc");
#else
  Counter += static_cast<Integer>(By);
#endif
}

/// The same downwards.
template <class Integer>
INMEM_INLINE void drain(Integer &Counter, uint64_t By) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  __asm__ volatile("subq %1, %0" : "+m"(Counter) : "er"(By) : "cc");
#else
  Counter -= static_cast<Integer>(By);
#endif
}

/// Counts down to the row's next candidate for timing. \returns whether it is
/// this block.
INMEM_INLINE bool comesToTimed(trace::Row *R) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  bool Due;
  __asm__ volatile("subl $1, %0" : "+m"(R->Untimed), "=@ccs"(Due));
  return Due;
#else
  return --R->Untimed < 0;
#endif
}

/// \returns whether the cell is past its limit.
INMEM_INLINE bool raiseLive(trace::Cell *C, uint64_t Bytes) {
  bump(C->Delta, Bytes);
  int64_t Delta = C->Delta;
  if (Delta > C->High) {
    C->High = Delta;
    return INMEM_UNLIKELY(Delta > C->Limit);
  }
  return false;
}
INMEM_INLINE bool lowerLive(trace::Cell *C, uint64_t Bytes) {
  drain(C->Delta, Bytes);
  return INMEM_UNLIKELY(C->Delta + C->Limit < 0);
}

INMEM_INLINE void addLive(trace::Cell *C, uint64_t Bytes) {
  if (raiseLive(C, Bytes))
    flushCell(C);
}
INMEM_INLINE void subtractLive(trace::Cell *C, uint64_t Bytes) {
  if (lowerLive(C, Bytes))
    flushCell(C);
}

/// The process's cell is past its limit, by an event of \p Size that is not
/// counted elsewhere yet: flushes it, and obeys orders (Orders.h) as if before
/// the event. \p Inside: the caller holds the guard. \returns false if
/// recording has stopped; the cell is then without the block.
INMEM_SLOW bool liveRose(uint64_t Size, bool Inside);
INMEM_SLOW void liveFell(uint64_t Size, bool Inside);

/// Whether this event interrupted another one. With \p Inside, the guard is the
/// event's own.
INMEM_INLINE bool isWithin(const ThreadState &T, bool Inside) {
  return !Inside && T.Guard != 0;
}

/// If the heap has shrunk: returns the index's empty pages to the system.
/// \p Inside as in liveFell.
void considerReturningIndex(bool Inside);

/// The entry, without a size, of a block whose life is timed and begins \p Now.
INMEM_INLINE Entry entryBornAt(uint64_t Now, uint32_t Site, bool Thinned) {
  keepTime(Thread, Now);
  if (INMEM_UNLIKELY(agingIsDue(Now)))
    ageBirths(Now);
  return makeEntry(Site, 0, Thinned, 0) | bornAt(Now);
}
/// The same for now.
INMEM_ASIDE Entry timedEntry(uint32_t Site, bool Thinned);
/// The entry, without a size, of the block of \p Size bytes at \p P that has
/// just been counted in \p R and that comesToTimed(). Out of line: few blocks
/// do with clock=auto.
INMEM_ASIDE Entry chosenEntry(trace::Row *R, void *P, uint64_t Size);

/// Tells returnIndex, before it is decided how \p P is recorded, which entry
/// this thread may be about to write.
INMEM_INLINE void announce(ThreadState &T, void *P) {
  T.LastAllocated = P;
  __asm__ volatile("" ::: "memory");
}

/// Result of counting an allocation.
enum class CountResult : uint8_t {
  Untimed,
  Timed,     ///< T.LastTicks is its birth
  NotCounted ///< recording has stopped
};

/// Undoes the count of a block for which the index has no memory: its free
/// would never be seen. It counts as dropped.
void takeBack(Entry Value, uint64_t Size);

/// Counts an allocation in \p S, which must be set up. \p Inside as in
/// liveRose; \p Value is the siteEntry and becomes its entry, without a size.
INMEM_INLINE CountResult countNew(ThreadState &T, const Slot &S, void *P,
                                  uint64_t Size, bool Inside, Entry &Value) {
  if (raiseLive(T.Process, Size) && !liveRose(Size, Inside))
    return CountResult::NotCounted;
  bump(S.R->Allocations, 1);
  bump(S.R->Bytes, Size);
  addLive(S.C, Size);
  if (!INMEM_MAYBE(comesToTimed(S.R)))
    return CountResult::Untimed;
  Value = chosenEntry(S.R, P, Size);
  return birthIn(Value) ? CountResult::Timed : CountResult::Untimed;
}

/// The same, and enters the block.
INMEM_INLINE CountResult countAllocation(ThreadState &T, const Slot &S, void *P,
                                         uint64_t Size, Entry Value,
                                         bool Inside = false) {
  __asm__("" : "+r"(Value)); // or clang branches around the rare case
  CountResult How = countNew(T, S, P, Size, Inside, Value);
  if (How != CountResult::NotCounted)
    addBlock(P, Size, Value);
  return How;
}

/// Adds the lifetime of the block \p B at \p P, which ends now, to its row.
__attribute__((noinline)) void countLife(void *P, trace::Row *R, Block B);

/// Adds a lifetime in ticks to a row's histogram.
INMEM_INLINE void enterLife(trace::Row *R, uint64_t Life, uint64_t Weight,
                            uint64_t Bytes) {
  using namespace trace;
  if (R->Timed++ == 0 || Life < R->MinTicks)
    R->MinTicks = Life;
  if (Life > R->MaxTicks)
    R->MaxTicks = Life;
  R->WeightedTimed += Weight;
  R->SumTicks += Weight * Life;
  unsigned Below = bitsBelowBucket(Life);
  __asm__("" : "+r"(Below)); // or clang computes it twice
  const unsigned O = octaveOf(Life, Below);
  Octave *Buckets;
  if (const uint64_t Place = R->Octaves[O]; INMEM_LIKELY(Place != 0))
    Buckets = reinterpret_cast<Octave *>(TraceBase + Place * 64);
  else if (!(Buckets = makeOctave(R, O)))
    return;
  auto &Bucket = Buckets->Buckets[bucketInOctave(Life, Below)];
  bump(Bucket.Count, Weight);
  bump(Bucket.Bytes, Weight * Bytes);
}

/// Counts the end of \p B in its row.
INMEM_INLINE void countEndIn(ThreadState &T, trace::Row *R, void *P, Block B) {
  bump(R->Frees, 1);
  bump(R->FreedBytes, B.Size);
  if (T.LastAllocated == P) {
    bump(R->Temporary, 1);
    T.LastAllocated = nullptr;
  }
}

/// \param End the time, if it has been read already (clock=exact: all lives
/// have the same weight); or 0
INMEM_INLINE void countFree(ThreadState &T, const Slot &S, void *P, Block B,
                            bool Inside = false, uint64_t End = 0) {
  if (lowerLive(T.Process, B.Size))
    liveFell(B.Size, Inside);
  countEndIn(T, S.R, P, B);
  subtractLive(S.C, B.Size);
  if (!INMEM_MAYBE(B.timed()))
    return;
  if (End)
    enterLife(S.R, lifeUntil(T, B, End), 1, B.Size);
  else
    countLife(P, S.R, B);
}

/// The same for a block of less than kSizeFollows bytes whose life is not
/// timed. Cells that fall below their limits by it are flushed at the next free
/// that is larger or timed (trace::Cell).
INMEM_INLINE void countSmallFree(ThreadState &T, const Slot &S, void *P,
                                 Block B) {
  drain(T.Process->Delta, B.Size);
  countEndIn(T, S.R, P, B);
  drain(S.C->Delta, B.Size);
}

/// Whether \p Value, which has 32 bits, is below \p Bound, in one comparison
/// with memory where there is one.
INMEM_INLINE bool isBelow(uint64_t Value, const Relaxed<uint32_t> &Bound) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  bool Below;
  __asm__("cmpl %k1, %2" : "=@cca"(Below) : "r"(Value), "m"(Bound));
  return Below;
#else
  return Value < Bound;
#endif
}

/// A slot's place in bytes is its site's id shifted by so much.
inline constexpr unsigned kSlotShift = 4;
static_assert(sizeof(Slot) == 1u << kSlotShift && kSlotShift <= kSizeBits);

INMEM_INLINE Slot slotAt(const ThreadState &T, uint64_t Offset) {
  return *reinterpret_cast<const Slot *>(
      reinterpret_cast<const char *>(T.Slots) + Offset);
}

/// Acquire: another thread may just have registered the site.
INMEM_INLINE uint32_t idOf(const struct inmem_site *Site) {
  return __atomic_load_n(&Site->id, __ATOMIC_ACQUIRE);
}

/// The block [P, P + Size) now exists and belongs to \p Site. A request of 0
/// bytes counts as 1, as DHAT does. \returns \p P
INMEM_INLINE void *allocated(void *P, uint64_t Size, struct inmem_site *Site) {
  ThreadState &T = Thread;
  announce(T, P);
  Size += Size == 0;
  uint32_t Id = idOf(Site);
  if (INMEM_LIKELY(isBelow(Id, T.AllocateSlots))) {
    uint64_t Offset = uint64_t{Id} << kSlotShift;
    __asm__("" : "+r"(Offset)); // or clang shifts once more for the entry
    const Slot S = slotAt(T, Offset);
    if (INMEM_LIKELY(S.R != nullptr)) {
      const Entry Value = Offset << (kSizeBits - kSlotShift); // siteEntry(Id)
      countAllocation(T, S, P, Size, Value);
      return P;
    }
  }
  return allocatedSlow(P, Size, Site);
}

/// The rest of realloc: the block at \p P replaces one of \p OldSite (0: none)
/// and keeps that site's type where \p Site has none.
INMEM_INLINE void *reallocated(void *P, uint64_t Size, struct inmem_site *Site,
                               uint32_t OldSite) {
  ThreadState &T = Thread;
  Size += Size == 0;
  announce(T, P);
  uint32_t Id = idOf(Site);
  if (INMEM_LIKELY(isBelow(Id, T.AllocateSlots)) &&
      INMEM_LIKELY(isBelow(OldSite, T.AllocateSlots))) {
    Slot S = T.Slots[Id];
    const trace::Row *Old = T.Slots[OldSite].R; // none of site 0
    if (!(Site->type || !Old || !Old->Type)) {
      Id = OldSite;
      S = T.Slots[Id];
    }
    if (INMEM_LIKELY(S.R && (Site->type || !OldSite || Old))) {
      if (countAllocation(T, S, P, Size, siteEntry(Id)) !=
          CountResult::NotCounted)
        bump(S.R->Reallocations, OldSite != 0);
      return P;
    }
  }
  return reallocatedSlow(P, Size, Site, OldSite);
}

/// Whether an allocation without a site must not go to its caller: it has a
/// site from __inmem_expect, or interrupted another event.
INMEM_INLINE bool bringsSite(const ThreadState &T) {
  return (T.Guard | reinterpret_cast<uintptr_t>(T.Expected)) != 0;
}
/// allocatedByUnknown with the fast path closed.
INMEM_IN_HOOKS __attribute__((noinline)) void *
allocatedWhileClosed(void *P, uint64_t Size, uintptr_t ReturnAddress,
                     const uintptr_t *Back, uint32_t OldSite, bool MayThrow);

/// An allocation without a site of its own: __inmem_expect's, or that of the
/// caller. \p Back: where \p ReturnAddress is saved; \p OldSite as in
/// reallocated(); \p MayThrow: by an operator new that may.
template <bool MayThrow = false>
INMEM_INLINE void *allocatedByUnknown(void *P, uint64_t Size,
                                      uintptr_t ReturnAddress,
                                      const uintptr_t *Back, uint32_t OldSite) {
  ThreadState &T = Thread;
  announce(T, P);
  const KnownCaller *Callers = T.QuickCallers;
  if (INMEM_UNLIKELY(Callers == nullptr))
    return allocatedWhileClosed(P, Size, ReturnAddress, Back, OldSite,
                                MayThrow);
  if (INMEM_LIKELY(!bringsSite(T))) {
    const KnownCaller &Known = Callers[knownCallerIndex(ReturnAddress)];
    if (INMEM_LIKELY(Known.ReturnAddress == ReturnAddress)) {
      if (OldSite)
        return reallocated(P, Size, Known.Site, OldSite);
      Size += Size == 0;
      const Slot S = {Known.R, Known.C};
      if (INMEM_LIKELY(S.R != nullptr)) {
        countAllocation(T, S, P, Size, siteEntry(S.R->Site));
        return P;
      }
    }
  }
  return allocatedByUnknownSlow(P, Size, ReturnAddress, Back, OldSite,
                                MayThrow);
}

/// The calling thread's slot for the end of \p B, if that may be counted on the
/// fast path; else none.
INMEM_INLINE Slot slotForFree(const ThreadState &T, Block B) {
  // One shift both takes the id out and multiplies it.
  uint64_t Offset = B.Value >> (kSizeBits - kSlotShift) & Entry{kMaxSites}
                                                              << kSlotShift;
  __asm__("" : "+r"(Offset)); // or clang masks twice
  if (INMEM_UNLIKELY(!isBelow(Offset, T.FreeEnd)))
    return {};
  return slotAt(T, Offset);
}

/// freedBlock, if the thread and the site are set up.
/// \returns whether they are
INMEM_INLINE bool freedQuickly(void *P, Block B, uint64_t End = 0) {
  ThreadState &T = Thread;
  const Slot S = slotForFree(T, B);
  if (INMEM_UNLIKELY(S.R == nullptr))
    return false;
  countFree(T, S, P, B, /*Inside=*/false, End);
  return true;
}

/// The block \p B, already taken out of the index, is about to be freed.
/// \p End as in countFree.
INMEM_INLINE void freedBlock(void *P, Block B, uint64_t End = 0) {
  if (INMEM_UNLIKELY(!freedQuickly(P, B, End)))
    freedSlow(P, B);
}

/// What freeBlock tail-calls for a block that was counted in the process's cell
/// only, which is past its limit; ...
INMEM_COLD INMEM_IN_HOOKS void freeFell(void *P, Block B);
/// ... in the row and both cells, of which the type's is past its limit; ...
INMEM_COLD INMEM_IN_HOOKS void freeFlushing(void *P, Block B);
/// ... completely, and whose lifetime was timed.
INMEM_IN_HOOKS __attribute__((noinline)) void freeTimed(void *P, Block B);

/// freedBlock, and frees the memory. Tail-calls what is rare, so that the usual
/// free has no frame.
INMEM_INLINE void freeBlock(void *P, Block B) {
  ThreadState &T = Thread;
  const Slot S = slotForFree(T, B);
  if (INMEM_UNLIKELY(S.R == nullptr))
    return freeSlow(P, B);
  if (INMEM_UNLIKELY(lowerLive(T.Process, B.Size)))
    return freeFell(P, B);
  countEndIn(T, S.R, P, B);
  if (INMEM_UNLIKELY(lowerLive(S.C, B.Size)))
    return freeFlushing(P, B);
  if (INMEM_MAYBE(B.timed()))
    return freeTimed(P, B);
  Real.free(P);
}

/// freeSmall for a block whose lifetime is timed.
INMEM_IN_HOOKS __attribute__((noinline)) void freeSmallTimed(void *P, Block B);

/// freeBlock for a block of less than kSizeFollows bytes.
INMEM_INLINE void freeSmall(void *P, Block B) {
  if (INMEM_MAYBE(B.timed()))
    return freeSmallTimed(P, B);
  ThreadState &T = Thread;
  const Slot S = slotForFree(T, B);
  if (INMEM_UNLIKELY(S.R == nullptr))
    return freeSlow(P, B);
  countSmallFree(T, S, P, B);
  Real.free(P);
}

/// The block at \p P, if it is one of ours, is about to be freed.
INMEM_INLINE void freed(void *P) {
  Block B = takeBlock(P);
  if (INMEM_LIKELY(static_cast<bool>(B)))
    freedBlock(P, B);
}

/// clock=exact, with a hardware clock: it is read before the look into the
/// index, since a processor may wait for loads that are under way before it
/// reads its counter.
INMEM_HIDDEN extern bool ReadsClockFirst;

/// Counts down to the next recorded block where most are not. \returns whether
/// this one is skipped. Needs no register.
INMEM_INLINE bool skips(int64_t &ToSample, uint64_t Step) {
#if defined(__x86_64__) && !defined(INMEM_THREAD_SANITIZER)
  bool Skipped;
  __asm__ volatile("subq %2, %0"
                   : "+m"(ToSample), "=@ccg"(Skipped)
                   : "er"(Step));
#else
  ToSample -= static_cast<int64_t>(Step);
  bool Skipped = ToSample > 0;
#endif
  if (INMEM_UNLIKELY(!Skipped))
    ToSample += static_cast<int64_t>(Step); // passesFilters decides
  return Skipped;
}

/// Whether an allocation of \p Size bytes, before or after it is made, is one
/// of those that are not recorded, with nothing more to do.
INMEM_INLINE bool skipsNext(ThreadState &T, uint64_t Size) {
  const bool Skipped =
      Process.State == InitState::Off ||
      (T.Mode == RecordMode::SkipsBytes
           ? INMEM_LIKELY(Size != 0) && skips(T.BytesToSample, Size)
           : T.Mode == RecordMode::SkipsBlocks && skips(T.BlocksToSample, 1));
  if (Skipped)
    T.LastAllocated = nullptr;
  return Skipped;
}

} // namespace inmem::rt

#endif
