//===- Allocate.h - Counting an allocation --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by Hooks.cpp right after an allocation.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_ALLOCATE_H
#define INMEM_RUNTIME_ALLOCATE_H

#include "allocator/Allocator.h"
#include "hot/Cells.h"
#include "hot/Lifetimes.h"
#include "hot/Rows.h"
#include "index/LiveIndex.h"
#include "state/Runtime.h"
#include "state/SlowPath.h"

namespace inmem::rt {

/// The slow paths keep errno, set the guard and return the block's address, so
/// that hooks can tail-call them.
INMEM_COLD INMEM_CALLED void *recordSiteSlow(void *P, uint64_t Size,
                                             struct inmem_site *Site);
INMEM_COLD INMEM_CALLED void *recordCallerSlow(void *P, uint64_t Size,
                                               uintptr_t ReturnAddress,
                                               const uintptr_t *Back,
                                               uint32_t OldSite, bool MayThrow);
INMEM_COLD INMEM_CALLED void *recordSiteAgainSlow(void *P, uint64_t Size,
                                                  struct inmem_site *Site,
                                                  uint32_t OldSite);

/// As recordPath() (CallerPaths.h), for paths that are not direct, and all
/// other cases.
/// \param Offset quickOffset() of the path
__attribute__((noinline)) INMEM_CALLED void *
recordPathSlow(void *P, uint64_t Size, struct inmem_site *Site,
               const uintptr_t *Back, uintptr_t Offset);

/// As recordPath() and recordPathAgain() (CallerPaths.h), while the fast path
/// is closed: the thread's mode decides.
void *recordPathClosed(void *P, uint64_t Size, struct inmem_site *Site,
                       const uintptr_t *Back);
void *recordPathAgainClosed(void *P, uint64_t Size, struct inmem_site *Site,
                            const uintptr_t *Back, uint32_t OldSite);

/// Makes this thread's blocks go into the side table until endSideTable().
void beginSideTable(ThreadState &T);
void endSideTable(ThreadState &T);

/// Publishes the block whose entry this thread may be about to write, before it
/// decides how to record it (IndexReturn.h). A compiler barrier is enough: the
/// thread that returns pages makes all processors execute a fence, so that
/// allocations need none.
INMEM_INLINE void announce(ThreadState &T, void *P) {
  T.Fast.LastAllocated = P;
  orderStores();
}

/// Result of counting an allocation.
enum class CountResult : uint8_t {
  Untimed,
  Timed,     ///< T.Clock.LastTicks is its birth
  NotCounted ///< recording has stopped
};

/// Uncounts a block that the index has no memory for, because its free would
/// never be noticed, and counts it as dropped.
void takeBack(IndexEntry Value, uint64_t Size);

/// Decides whether the lifetime of a block that was just counted in \p R is
/// timed. If it is, \p Value becomes its entry.
INMEM_INLINE CountResult decideTiming(trace::Row *R, void *P, uint64_t Size,
                                      IndexEntry &Value) {
  if (!INMEM_MAYBE(countsBelowZero(R->Untimed)))
    return CountResult::Untimed;
  Value = chosenEntry(R, P, Size);
  return birthIn(Value) ? CountResult::Timed : CountResult::Untimed;
}

/// Counts an allocation in \p S, after the process's cell. The caller is
/// Counting.
INMEM_INLINE CountResult countInRow(const Slot &S, void *P, uint64_t Size,
                                    IndexEntry &Value) {
  bump(S.R->Allocations, 1);
  bump(S.R->Bytes, Size);
  if (raiseLive(S.C, Size))
    flushCell(S.C);
  return decideTiming(S.R, P, Size, Value);
}

/// Counts an allocation in \p S and in the process's cell, and enters the block
/// in the index. \p S must be set up. \p OwnsGuard as in liveRose; \p Value is
/// the siteEntry.
INMEM_INLINE CountResult enterAllocation(ThreadState &T, const Slot &S, void *P,
                                         uint64_t Size, IndexEntry Value,
                                         bool OwnsGuard = false) {
  hideOrigin(Value); // or clang branches around the rare case
  CountResult How = CountResult::NotCounted;
  {
    const Counting Now(T);
    // The process's cell comes first. If it exceeds its limit, waiting commands
    // are executed as if before this event, so nothing else may count it yet.
    if (!raiseLive(T.Process, Size) || liveRose(Size, OwnsGuard))
      How = countInRow(S, P, Size, Value);
  }
  if (How != CountResult::NotCounted)
    addBlock(P, Size, Value);
  return How;
}

/// The block [P, P + Size) now exists and belongs to \p Site. A request of 0
/// bytes counts as 1, as DHAT does. \returns \p P
INMEM_INLINE void *recordSite(void *P, uint64_t Size, struct inmem_site *Site) {
  ThreadState &T = Thread;
  announce(T, P);
  Size += Size == 0;
  uint32_t Id = idOf(Site);
  if (INMEM_LIKELY(isBelow(Id, T.Fast.AllocateSlots)) && !interruptsCount(T)) {
    uint64_t Offset = uint64_t{Id} << kSlotShift;
    hideOrigin(Offset); // or clang shifts again for the entry
    const Slot S = slotAt(T, Offset);
    if (INMEM_LIKELY(S.R != nullptr)) {
      const IndexEntry Value = Offset
                               << (kSizeBits - kSlotShift); // siteEntry(Id)
      enterAllocation(T, S, P, Size, Value);
      return P;
    }
  }
  return recordSiteSlow(P, Size, Site);
}

/// Returns true if blocks of \p OldSite (0: none) are known to have no type.
/// The site is below T.Fast.AllocateSlots.
INMEM_INLINE bool isUntyped(const ThreadState &T, uint32_t OldSite) {
  const trace::Row *Old = T.Fast.Slots[OldSite].R; // null for site 0
  return Old ? !Old->Type : !OldSite;
}

/// Counts a block of the site \p Id, which has no type, that replaces a block
/// of \p OldSite, which has one. Returns false if the site that combines them
/// is not known yet or the fast path is closed.
bool enterKeepingType(ThreadState &T, void *P, uint64_t Size, uint32_t Id,
                      uint32_t OldSite);

/// As recordSite() for realloc: the block at \p P replaces one of \p OldSite
/// (0: none) and keeps that site's type if \p Site has none.
INMEM_INLINE void *recordSiteAgain(void *P, uint64_t Size,
                                   struct inmem_site *Site, uint32_t OldSite) {
  ThreadState &T = Thread;
  Size += Size == 0;
  announce(T, P);
  uint32_t Id = idOf(Site);
  if (INMEM_LIKELY(isBelow(Id, T.Fast.AllocateSlots)) &&
      INMEM_LIKELY(isBelow(OldSite, T.Fast.AllocateSlots)) &&
      !interruptsCount(T)) {
    const Slot S = T.Fast.Slots[Id];
    if (INMEM_LIKELY(S.R && (S.R->Type || isUntyped(T, OldSite)))) {
      if (enterAllocation(T, S, P, Size, siteEntry(Id)) !=
          CountResult::NotCounted)
        bumpAlone(S.R->Reallocations, OldSite != 0);
      return P;
    }
  }
  return recordSiteAgainSlow(P, Size, Site, OldSite);
}

/// Returns true if an allocation without a site must not be counted for its
/// caller: __inmem_expect announced a site, or the event interrupted another
/// one.
INMEM_INLINE bool bringsSite(const ThreadState &T) {
  uintptr_t Any =
      T.Inside.Guard | reinterpret_cast<uintptr_t>(T.Callers.Expected);
  if constexpr (!kAddsAtOnce)
    Any |= T.Inside.CountingAt;
  return Any != 0;
}
/// As recordPath() (CallerPaths.h) for realloc.
INMEM_CALLED __attribute__((noinline)) void *
recordPathAgain(void *P, uint64_t Size, struct inmem_site *Site,
                const uintptr_t *Back, uint32_t OldSite);

/// As recordCaller(), while the fast path is closed.
INMEM_IN_HOOKS __attribute__((noinline)) void *
recordCallerClosed(void *P, uint64_t Size, uintptr_t ReturnAddress,
                   const uintptr_t *Back, uint32_t OldSite, bool MayThrow);

/// As recordCaller(), for a block that __inmem_expect announced, or in a hook.
INMEM_IN_HOOKS __attribute__((noinline)) void *
recordExpected(void *P, uint64_t Size, uintptr_t ReturnAddress,
               const uintptr_t *Back, uint32_t OldSite, bool MayThrow);

/// Counts an allocation by code without instrumentation for the site that
/// __inmem_expect announced, or for its caller. \p Back points to the saved \p
/// ReturnAddress. \p OldSite as in recordSiteAgain(). \p MayThrow is true for
/// operators new that may throw.
template <bool MayThrow = false>
INMEM_INLINE void *recordCaller(void *P, uint64_t Size, uintptr_t ReturnAddress,
                                const uintptr_t *Back, uint32_t OldSite) {
  ThreadState &T = Thread;
  announce(T, P);
  const KnownCaller *Callers = T.Callers.Quick;
  if (INMEM_UNLIKELY(Callers == nullptr))
    return recordCallerClosed(P, Size, ReturnAddress, Back, OldSite, MayThrow);
  if (INMEM_LIKELY(!bringsSite(T))) {
    const KnownCaller &Known = Callers[knownCallerIndex(ReturnAddress)];
    if (INMEM_LIKELY(Known.ReturnAddress == ReturnAddress)) {
      if (OldSite)
        return recordPathAgain(P, Size, Known.Site, Back, OldSite);
      Size += Size == 0;
      const Slot S = {Known.R, Known.C};
      if (INMEM_LIKELY(S.R != nullptr)) {
        enterAllocation(T, S, P, Size, siteEntry(S.R->Site));
        return P;
      }
    }
  } else {
    return recordExpected(P, Size, ReturnAddress, Back, OldSite, MayThrow);
  }
  return recordCallerSlow(P, Size, ReturnAddress, Back, OldSite, MayThrow);
}

/// Counts down to the next recorded block when most blocks are skipped. Returns
/// true if this one is skipped. Needs no register.
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

/// Returns true if the next allocation, of \p Size bytes, is skipped and
/// nothing else has to be done for it. Hooks call it before or after they
/// allocate.
INMEM_INLINE bool skipsNext(ThreadState &T, uint64_t Size) {
  const bool Skipped =
      Process.State == InitState::Off ||
      (T.Fast.Mode == RecordMode::SkipsBytes
           ? INMEM_LIKELY(Size != 0) && skips(T.Sampling.BytesToSample, Size)
           : T.Fast.Mode == RecordMode::SkipsBlocks &&
                 skips(T.Sampling.BlocksToSample, 1));
  if (Skipped)
    T.Fast.LastAllocated = nullptr;
  return Skipped;
}

} // namespace inmem::rt

#endif
