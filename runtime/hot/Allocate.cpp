//===- Allocate.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Allocate.h"

#include "hot/CallerPaths.h"
#include "hot/EventStream.h"
#include "hot/FastPath.h"
#include "hot/PeakNotes.h"
#include "hot/RecorderSteps.h"
#include "hot/Sampling.h"
#include "hot/Suspension.h"
#include "hot/Threads.h"
#include "platform/Errors.h"
#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "stacks/CallLabels.h"
#include "stacks/Frees.h"
#include "stacks/ProgramFrames.h"
#include "stacks/Stacks.h"
#include "state/Features.h"

namespace inmem::rt {

using namespace trace;

namespace {

// The slow cases in the order in which an allocation reaches them. Each is a
// separate function that ends in a tail call to the next: in one large
// function, the first cases would save registers that only the last ones need.

/// mode=trace, and the site is set up.
__attribute__((noinline)) void *recordTraced(void *P, uint64_t Size,
                                             struct inmem_site *Site);
/// stacks= or frees=.
__attribute__((noinline)) void *recordStacked(void *P, uint64_t Size,
                                              struct inmem_site *Site);
/// As recordStacked(), called from code without contexts. Separate, because it
/// needs other registers.
__attribute__((noinline)) void *recordStackedNoContext(void *P, uint64_t Size,
                                                       struct inmem_site *Site);
/// As recordStacked(), for a stack that the thread's cache does not know.
INMEM_COLD void *recordNewStack(void *P, uint64_t Size,
                                struct inmem_site *Site);
/// The general case, under the guard: the first event of a site or thread,
/// filters, scopes, budgets, or an event that interrupted another one.
INMEM_COLD void *recordSiteStepByStep(void *P, uint64_t Size,
                                      struct inmem_site *Site);
/// As recordSiteStepByStep(), which is separate because a tail call needs a
/// function with its caller's signature. \p Back: null, or as in
/// __inmem_from_*.
INMEM_COLD void *recordStepByStep(void *P, uint64_t Size,
                                  struct inmem_site *Site,
                                  const uintptr_t *Back);
/// The general case for a block whose site is known. The caller holds the
/// guard.
void recordUnderSite(ThreadState &T, void *P, uint64_t Size,
                     struct inmem_site *Site, const uintptr_t *Back,
                     uint32_t OldSite, bool Reallocated);

} // namespace

//===----------------------------------------------------------------------===//
// Code with a site
//===----------------------------------------------------------------------===//

void *recordSiteSlow(void *P, uint64_t Size, struct inmem_site *Site) {
  ThreadState &T = Thread;
  auto Mode = static_cast<uint8_t>(static_cast<RecordMode>(T.Fast.Mode));
  if (Mode == static_cast<uint8_t>(RecordMode::Traced))
    INMEM_TAIL return recordTraced(P, Size, Site);
  hideOrigin(Mode); // or clang emits a jump table
  if (Mode == static_cast<uint8_t>(RecordMode::Stacked))
    INMEM_TAIL return recordStacked(P, Size, Site);
  if (skipsNext(T, Size)) // every=, sample_bytes=
    return P;
  INMEM_TAIL return recordSiteStepByStep(P, Size, Site);
}

namespace {

/// Counts an allocation in \p S and in the process's cell, for an event that
/// holds the guard. \p Value becomes its entry, without a size.
INMEM_INLINE CountResult countGuarded(ThreadState &T, const Slot &S, void *P,
                                      uint64_t Size, IndexEntry &Value) {
  const Counting Now(T);
  if (raiseLive(T.Process, Size) && !liveRose(Size, /*OwnsGuard=*/true))
    return CountResult::NotCounted;
  return countInRow(S, P, Size, Value);
}

/// mode=trace, for an id that is set up on this thread.
INMEM_INLINE void *enterTraced(ThreadState &T, void *P, uint64_t Size,
                               uint32_t Id) {
  QuicklyGuarded G(T);             // keeps signal handlers' events out of ours
  const Slot S = T.Fast.Slots[Id]; // a copy stays in registers
  IndexEntry Value = siteEntry(Id);
  CountResult How = countGuarded(T, S, P, Size, Value);
  if (INMEM_UNLIKELY(How == CountResult::NotCounted))
    return P;
  if (INMEM_LIKELY(How == CountResult::Untimed))
    writeEvent(T, EventKind::Allocate, Id, Size);
  else
    writeWholeEvent(T, EventKind::Allocate, Id, Size, true);
  addBlock(P, Size, Value);
  return P;
}

void *recordTraced(void *P, uint64_t Size, struct inmem_site *Site) {
  ThreadState &T = Thread;
  uint32_t Id = idOf(Site);
  if (INMEM_UNLIKELY(interruptsEvent(T) || Id >= T.Rows->SlotCapacity ||
                     !T.Fast.Slots[Id].R))
    INMEM_TAIL return recordSiteStepByStep(P, Size, Site);
  return enterTraced(T, P, Size, Id);
}

/// Counts in \p S for stacks= or frees=.
INMEM_INLINE void enterStackedSlot(ThreadState &T, const Slot &S, void *P,
                                   uint64_t Size, uint32_t Site) {
  CountResult How =
      enterAllocation(T, S, P, Size, siteEntry(Site), /*OwnsGuard=*/true);
  noteNewPeak(T);
  if (INMEM_UNLIKELY(notesFrees()) && How != CountResult::NotCounted)
    noteOwner(T, P);
}

/// Finishes enterIfStackKnown() after the process's cell exceeded its limit.
INMEM_COLD void enterStackedPastLimit(void *P, uint64_t Size, Slot S,
                                      uint32_t Id) {
  ThreadState &T = Thread;
  IndexEntry Value = siteEntry(Id);
  {
    const Counting Now(T);
    if (!liveRose(Size, /*OwnsGuard=*/true))
      return;
    countInRow(S, P, Size, Value);
  }
  addBlock(P, Size, Value);
  noteNewPeak(T);
  if (notesFrees())
    noteOwner(T, P);
}

/// Counts the block if the thread's cache knows its stack; returns false if it
/// does not. The cache is empty in a forked child that has not noticed the fork
/// yet.
INMEM_INLINE bool enterIfStackKnown(ThreadState &T, void *P, uint64_t Size,
                                    uint32_t Id, uint64_t Context) {
  if (INMEM_UNLIKELY(interruptsEvent(T)))
    return false;
  QuicklyGuarded G(T);
  const KnownStack *Known =
      quicklyKnown(*T.Rows->Stacks, Id, HookFrame::ofCaller(), Context);
  if (INMEM_UNLIKELY(!Known))
    return false;
  Id = Known->Id;
  const Slot S = Known->Where; // a copy stays in registers
  IndexEntry Value = siteEntry(Id);
  bool PastProcess;
  {
    const Counting Now(T);
    PastProcess = raiseLive(T.Process, Size);
    if (INMEM_LIKELY(!PastProcess)) {
      hideOrigin(Value); // or clang branches around the rare case
      countInRow(S, P, Size, Value);
    }
  }
  if (INMEM_UNLIKELY(PastProcess)) {
    enterStackedPastLimit(P, Size, S, Id);
    return true;
  }
  addBlock(P, Size, Value);
  noteNewPeak(T); // from an earlier free
  if (INMEM_UNLIKELY(notesFrees()))
    noteOwner(Thread, P);
  return true;
}

void *recordStacked(void *P, uint64_t Size, struct inmem_site *Site) {
  const uint64_t Context = __inmem_context;
  if (!Context)
    INMEM_TAIL return recordStackedNoContext(P, Size, Site);
  __builtin_assume(Context != 0);
  if (INMEM_LIKELY(enterIfStackKnown(Thread, P, Size, idOf(Site), Context)))
    return P;
  INMEM_TAIL return recordNewStack(P, Size, Site);
}

void *recordStackedNoContext(void *P, uint64_t Size, struct inmem_site *Site) {
  if (INMEM_LIKELY(enterIfStackKnown(Thread, P, Size, idOf(Site), 0)))
    return P;
  INMEM_TAIL return recordNewStack(P, Size, Site);
}

/// Counts the first event of this site and stack on this thread.
INMEM_COLD void enterFirstStacked(ThreadState &T, void *P, uint64_t Size,
                                  uint32_t Site) {
  if (isSiteExcluded(Site))
    return;
  const SavedErrno Kept;
  if (Slot *S = slotOf(T, Site))
    enterStackedSlot(T, *S, P, Size, Site);
  else
    countDropped();
}

/// Counts a block for stacks= or frees=. The id, which includes the caller, is
/// registered.
__attribute__((noinline)) void *enterStacked(void *P, uint64_t Size,
                                             uint32_t Id, HookFrame At) {
  ThreadState &T = Thread;
  QuicklyGuarded G(T);
  if (Process.Config.Stacks)
    Id = siteWithStackAt(T, Id, At);
  if (INMEM_UNLIKELY(Id >= T.Rows->SlotCapacity || !T.Fast.Slots[Id].R))
    enterFirstStacked(T, P, Size, Id);
  else
    enterStackedSlot(T, slotAt(T, uint64_t{Id} << kSlotShift), P, Size, Id);
  return P;
}

void *recordNewStack(void *P, uint64_t Size, struct inmem_site *Site) {
  const uint32_t Id = idOf(Site);
  if (interruptsEvent(Thread) || !Id || isUnnoticedChild())
    return recordSiteStepByStep(P, Size, Site);
  return enterStacked(P, Size, Id, HookFrame::ofCaller());
}

void *recordSiteStepByStep(void *P, uint64_t Size, struct inmem_site *Site) {
  return recordStepByStep(P, Size, Site, nullptr);
}

void *recordStepByStep(void *P, uint64_t Size, struct inmem_site *Site,
                       const uintptr_t *Back) {
  ThreadState &T = Thread;
  T.Operators.IgnoredSite = Site;
  if (isNotRecordedHere(T))
    return P;
  {
    SlowEvent S(T);
    if (!S) {
      countDropped();
      return P;
    }
    if (mayRecord(T))
      recordUnderSite(T, P, Size, Site, Back, 0, false);
  }
  if (INMEM_UNLIKELY(T.Excess.Budget != nullptr))
    kFeatures.ActOnExcess(T, P, (Site->flags & INMEM_SITE_THROWS) != 0);
  return P;
}

} // namespace

//===----------------------------------------------------------------------===//
// Code that allocates for its callers, and code without a site
//===----------------------------------------------------------------------===//

/// As recordPathSlow(), for paths in no chain.
INMEM_COLD static void *recordUnknownPath(void *P, uint64_t Size,
                                          struct inmem_site *Site,
                                          const uintptr_t *Back) {
  ThreadState &T = Thread;
  if (!interruptsCount(T) &&
      enterIfPathKnown(T, *T.Callers.QuickPaths, P, Size, Site, Back))
    return P;
  if (neverKnowsPaths(T))
    return recordSite(P, Size, Site);
  INMEM_TAIL return recordPathClosed(P, Size, Site, Back);
}

void *recordPathSlow(void *P, uint64_t Size, struct inmem_site *Site,
                     const uintptr_t *Back, uintptr_t Offset) {
  ThreadState &T = Thread;
  const CallerEnd *End = findChain(
      *T.Callers.QuickPaths, reinterpret_cast<uintptr_t>(Site), Back, Offset);
  if (INMEM_LIKELY(End != nullptr) && !interruptsCount(T)) {
    enterAllocation(T, {End->R, End->C}, P, Size, End->Value);
    return P;
  }
  return recordUnknownPath(P, Size, Site, Back);
}

void *recordPathClosed(void *P, uint64_t Size, struct inmem_site *Site,
                       const uintptr_t *Back) {
  ThreadState &T = Thread;
  const bool Traced = T.Fast.Mode == RecordMode::Traced,
             Stacked = T.Fast.Mode == RecordMode::Stacked;
  if ((Traced || Stacked) && !interruptsEvent(T) && !isUnnoticedChild()) {
    const uint32_t Id = knownWithCaller(T, Site, Back);
    if (Stacked && Id) {
      if (enterIfStackKnown(T, P, Size, Id, __inmem_context))
        return P;
      return enterStacked(P, Size, Id, HookFrame::ofCaller());
    }
    if (Traced && Id && Id < T.Rows->SlotCapacity && T.Fast.Slots[Id].R)
      return enterTraced(T, P, Size, Id);
  } else if (skipsNext(T, Size)) {
    return P;
  }
  return recordStepByStep(P, Size, Site, Back);
}

void *recordCallerClosed(void *P, uint64_t Size, uintptr_t ReturnAddress,
                         const uintptr_t *Back, uint32_t OldSite,
                         bool MayThrow) {
  const ThreadState &T = Thread;
  if (T.Callers.Known && !bringsSite(T)) {
    const KnownCaller &Known = T.Callers.Known[knownCallerIndex(ReturnAddress)];
    if (Known.ReturnAddress == ReturnAddress) {
      if (OldSite)
        return recordPathAgain(P, Size, Known.Site, Back, OldSite);
      return recordPathClosed(P, Size + (Size == 0), Known.Site, Back);
    }
  }
  return recordCallerSlow(P, Size, ReturnAddress, Back, OldSite, MayThrow);
}

void *recordExpected(void *P, uint64_t Size, uintptr_t ReturnAddress,
                     const uintptr_t *Back, uint32_t OldSite, bool MayThrow) {
  ThreadState &T = Thread;
  struct inmem_site *Site = T.Callers.Expected;
  if (INMEM_UNLIKELY(!Site || interruptsEvent(T) || OldSite || MayThrow))
    return recordCallerSlow(P, Size, ReturnAddress, Back, OldSite, MayThrow);
  T.Callers.Expected = nullptr;
  if (T.Callers.ExpectedBack)
    return recordPath(P, Size, Site, T.Callers.ExpectedBack);
  return recordSite(P, Size, Site);
}

namespace {

struct inmem_site *siteOfCaller(ThreadState &T, uintptr_t ReturnAddress) {
  if (struct inmem_site *Expected = T.Callers.Expected) {
    T.Callers.Expected = nullptr;
    return Expected;
  }
  return knownCallerSite(T, ReturnAddress);
}

/// Lets the next event from \p ReturnAddress take the fast path.
void noteCaller(ThreadState &T, uintptr_t ReturnAddress) {
  if (!T.Callers.Known)
    return;
  KnownCaller &Known = T.Callers.Known[knownCallerIndex(ReturnAddress)];
  if (Known.ReturnAddress != ReturnAddress || Known.R)
    return;
  uint32_t Id = idOf(Known.Site);
  if (T.Rows->Paths &&
      (HasCallLabels || (FollowsProgram && !isClosedCaller(*Known.Site))))
    Id = idWithoutPath(*T.Rows->Paths, Known.Site, ReturnAddress);
  if (!Id || Id >= T.Rows->SlotCapacity || !T.Fast.Slots[Id].R)
    return;
  Known.C = T.Fast.Slots[Id].C;
  orderStores();
  Known.R = T.Fast.Slots[Id].R;
}

} // namespace

/// As recordCallerSlow(), for paths that are not direct, or new.
INMEM_COLD static void *recordOtherCaller(void *P, uint64_t Size,
                                          uintptr_t ReturnAddress,
                                          const uintptr_t *Back,
                                          uint32_t OldSite, bool MayThrow) {
  ThreadState &T = Thread;
  if (const KnownCaller *Callers = T.Callers.Quick;
      Callers && !OldSite && !bringsSite(T)) {
    const KnownCaller &Known = Callers[knownCallerIndex(ReturnAddress)];
    if (Known.ReturnAddress == ReturnAddress &&
        enterIfPathKnown(T, *T.Callers.QuickPaths, P, Size + (Size == 0),
                         Known.Site, Back))
      return P;
  }
  if (isNotRecordedHere(T))
    return P;
  {
    SlowEvent S(T);
    if (!S) {
      countDropped();
      return P;
    }
    Size += Size == 0;
    if (!mayRecord(T))
      return P;
    if (T.Callers.Expected)
      Back = T.Callers.ExpectedBack;
    struct inmem_site *Site = siteOfCaller(T, ReturnAddress);
    if (!Site) {
      countDropped();
      return P;
    }
    if (Site->kind == INMEM_SITE_CALLER && MayThrow)
      Site->flags = INMEM_SITE_THROWS; // as for all calls that return there
    MayThrow &= (Site->flags & INMEM_SITE_THROWS) != 0;
    recordUnderSite(T, P, Size, Site, Back, OldSite, OldSite != 0);
    noteCaller(T, ReturnAddress);
  }
  if (INMEM_UNLIKELY(T.Excess.Budget != nullptr))
    kFeatures.ActOnExcess(T, P, MayThrow);
  return P;
}

void *recordCallerSlow(void *P, uint64_t Size, uintptr_t ReturnAddress,
                       const uintptr_t *Back, uint32_t OldSite, bool MayThrow) {
  ThreadState &T = Thread;
  const CallerEnd *End =
      OldSite || bringsSite(T) ? nullptr : findDirect(T, ReturnAddress, Back);
  if (INMEM_UNLIKELY(!End))
    INMEM_TAIL return recordOtherCaller(P, Size, ReturnAddress, Back, OldSite,
                                        MayThrow);
  enterAllocation(T, {End->R, End->C}, P, Size + (Size == 0), End->Value);
  return P;
}

//===----------------------------------------------------------------------===//
// realloc
//===----------------------------------------------------------------------===//

void *recordSiteAgainSlow(void *P, uint64_t Size, struct inmem_site *Site,
                          uint32_t OldSite) {
  if (OldSite && enterKeepingType(Thread, P, Size, idOf(Site), OldSite))
    return P;
  return recordPathAgainClosed(P, Size, Site, nullptr, OldSite);
}

bool enterKeepingType(ThreadState &T, void *P, uint64_t Size, uint32_t Id,
                      uint32_t OldSite) {
  const CallerPaths *Paths = T.Rows ? T.Rows->Paths : nullptr;
  if (!Paths || !T.Fast.AllocateSlots || interruptsCount(T))
    return false;
  const CallerMove &M = Paths->Moves[moveIndex(OldSite, Id)];
  const uint32_t To = M.From == OldSite && M.Site == Id ? M.To : 0;
  if (!isBelow(To, T.Fast.AllocateSlots) || !T.Fast.Slots[To].R)
    return false;
  const Slot S = T.Fast.Slots[To];
  if (enterAllocation(T, S, P, Size, siteEntry(To)) != CountResult::NotCounted)
    bumpAlone(S.R->Reallocations, 1);
  return true;
}

void *recordPathAgain(void *P, uint64_t Size, struct inmem_site *Site,
                      const uintptr_t *Back, uint32_t OldSite) {
  ThreadState &T = Thread;
  if (neverKnowsPaths(T))
    return recordSiteAgain(P, Size, Site, OldSite);
  Size += Size == 0;
  announce(T, P);
  const CallerEnd *End = findEnd(*T.Callers.QuickPaths, Site, Back);
  if (End && isBelow(OldSite, T.Fast.AllocateSlots) && !interruptsCount(T)) {
    if (!(End->R->Type || isUntyped(T, OldSite))) {
      if (enterKeepingType(T, P, Size, End->R->Site, OldSite))
        return P;
    } else {
      if (enterAllocation(T, {End->R, End->C}, P, Size, End->Value) !=
          CountResult::NotCounted)
        bumpAlone(End->R->Reallocations, OldSite != 0);
      return P;
    }
  }
  return recordPathAgainClosed(P, Size, Site, Back, OldSite);
}

void *recordPathAgainClosed(void *P, uint64_t Size, struct inmem_site *Site,
                            const uintptr_t *Back, uint32_t OldSite) {
  ThreadState &T = Thread;
  if (isNotRecordedHere(T))
    return P;
  {
    SlowEvent Scope(T);
    if (!Scope) {
      countDropped();
      return P;
    }
    if (mayRecord(T))
      recordUnderSite(T, P, Size, Site, Back, OldSite, OldSite != 0);
  }
  if (INMEM_UNLIKELY(T.Excess.Budget != nullptr))
    kFeatures.ActOnExcess(T, P, false);
  return P;
}

//===----------------------------------------------------------------------===//
// The general case
//===----------------------------------------------------------------------===//

namespace {

/// Counts an event that interrupted a count, in a separate row.
CountResult countInterruptingAllocation(ThreadState &T, Row *R, void *P,
                                        uint64_t Size, IndexEntry &Value) {
  addToLiveTotal(T, kProcessCell, static_cast<int64_t>(Size));
  R->Allocations += 1;
  R->Bytes += Size;
  addToLiveTotal(T, R->Type, static_cast<int64_t>(Size));
  return decideTiming(R, P, Size, Value);
}

/// Reports a block that was counted under \p Id in the row \p R to everything
/// that follows single events.
void reportCounted(ThreadState &T, Row *R, void *P, uint64_t Size, uint32_t Id,
                   bool Timed, bool Reallocated) {
  if (notesFrees())
    noteOwner(T, P);
  if (T.Copy.Frame) {
    T.Copy.Inner.allocations += 1;
    T.Copy.Inner.bytes += Size;
  }
  if (Reallocated)
    bumpAlone(R->Reallocations, 1);
  if (Process.Config.SampleBytes) {
    double Weight = weightOf(Size);
    R->WeightedAllocations += Weight;
    R->WeightedBytes += Weight * static_cast<double>(Size);
    constexpr double kHalf = 0.5; // rounds without libm
    const double Weighted = Weight * static_cast<double>(Size) + kHalf;
    probeAllocation(P, Size, static_cast<uint64_t>(Weighted));
  }
  if (Process.WritesEvents)
    writeWholeEvent(T, EventKind::Allocate, Id, Size, Timed);
  if (watchesAllocations(T))
    kFeatures.WatchAllocation(T, P, Size, Id);
}

/// Counts the block under \p Id, or that id with the current stack, and enters
/// it in the index.
void recordUnderId(ThreadState &T, void *P, uint64_t Size, uint32_t Id,
                   bool Reallocated) {
  if (Process.Config.Stacks)
    Id = siteWithStack(T, Id);
  const Slot S = slotOfEvent(T, Id);
  if (!S.R)
    return countDropped();
  IndexEntry Value = siteEntry(Id);
  CountResult How = S.C ? countGuarded(T, S, P, Size, Value)
                        : countInterruptingAllocation(T, S.R, P, Size, Value);
  if (How == CountResult::NotCounted)
    return;
  if (How == CountResult::Untimed && watchesFrees(T) &&
      T.Fast.Lifetimes != LifetimePolicy::None) {
    Value = timedEntry(Id, false); // observers identify blocks by birth
    How = CountResult::Timed;
  }
  noteNewPeak(T);
  if (!T.Fast.UsesSideTable)
    enterBlock(P, Size, Value);
  else if (!addForeign(P, {Value, Size}))
    takeBack(Value, Size);
  reportCounted(T, S.R, P, Size, Id, How == CountResult::Timed, Reallocated);
}

void recordUnderSite(ThreadState &T, void *P, uint64_t Size,
                     struct inmem_site *Site, const uintptr_t *Back,
                     uint32_t OldSite, bool Reallocated) {
  waitForIndex();
  Attached A(T);
  if (!A)
    return countDropped();
  if (Process.Filtered && !passesFilters(T, Size))
    return;
  uint32_t Id = idForSite(Site, Size);
  if (Id && Back && (OldSite || !isSiteExcluded(Id)))
    Id = idWithCaller(T, Site, Id, Back);
  if (Id && OldSite) {
    const uint32_t Plain = Id;
    Id = idKeepingType(Plain, OldSite);
    if (Id != Plain)
      noteMove(T, Plain, OldSite, Id);
  }
  if (Id && !isSiteExcluded(Id))
    recordUnderId(T, P, Size, Id, Reallocated);
}

} // namespace

void takeBack(IndexEntry Value, uint64_t Size) {
  ThreadState &T = Thread;
  const Slot S = T.Fast.Slots[siteIn(Value)];
  const Counting Now(T);
  S.R->MovedOut += 1;
  S.R->MovedOutBytes += Size;
  subtractLive(S.C, Size);
  subtractLive(T.Process, Size);
  countDropped();
}

void beginSideTable(ThreadState &T) {
  T.Fast.UsesSideTable = true;
  closeAllocations(T);
}

void endSideTable(ThreadState &T) {
  T.Fast.UsesSideTable = false;
  updateFastPath(T);
}

} // namespace inmem::rt
