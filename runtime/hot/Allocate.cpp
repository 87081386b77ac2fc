//===- Allocate.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Allocate.h"

#include "hot/CallerPaths.h"
#include "hot/EventStream.h"
#include "hot/FastPath.h"
#include "hot/Probes.h"
#include "hot/RecorderSteps.h"
#include "hot/Sampling.h"
#include "hot/SitePeak.h"
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

/// countAllocation() of an event that holds the guard.
INMEM_INLINE CountResult countGuarded(ThreadState &T, const Slot &S, void *P,
                                      uint64_t Size, IndexEntry &Value) {
  const Counting Now(T);
  return countAllocation(T, S, P, Size, /*OwnsGuard=*/true, Value);
}

/// countAllocation() of an event that interrupted a count, in a row apart.
CountResult countInterrupting(ThreadState &T, Row *R, void *P, uint64_t Size,
                              IndexEntry &Value) {
  addToLiveTotal(T, kProcessCell, static_cast<int64_t>(Size));
  R->Allocations += 1;
  R->Bytes += Size;
  addToLiveTotal(T, R->Type, static_cast<int64_t>(Size));
  return decideTiming(R, P, Size, Value);
}

void recordAllocation(ThreadState &T, void *P, uint64_t Size, uint32_t Id,
                      bool Reallocated) {
  if (Process.Config.Stacks)
    Id = siteWithStack(T, Id);
  const Slot S = slotOfEvent(T, Id);
  if (!S.R)
    return countDropped();
  IndexEntry Value = siteEntry(Id);
  CountResult How = S.C ? countGuarded(T, S, P, Size, Value)
                        : countInterrupting(T, S.R, P, Size, Value);
  if (How == CountResult::NotCounted)
    return;
  if (How == CountResult::Untimed && watchesFrees(T) &&
      T.Lifetimes != LifetimePolicy::None) {
    Value =
        timedEntry(Id, false); // an observer identifies a block by its birth
    How = CountResult::Timed;
  }
  noteNewPeak(T);
  if (!T.UsesSideTable)
    enterBlock(P, Size, Value);
  else if (!addForeign(P, {Value, Size}))
    takeBack(Value, Size);
  if (notesFrees())
    noteOwner(T, P);
  if (T.CopyFrame) {
    T.Inner.allocations += 1;
    T.Inner.bytes += Size;
  }
  if (Reallocated)
    bumpAlone(S.R->Reallocations, 1);
  if (Process.Config.SampleBytes) {
    double Weight = weightOf(Size);
    S.R->WeightedAllocations += Weight;
    S.R->WeightedBytes += Weight * static_cast<double>(Size);
    constexpr double kHalf = 0.5; // no library here that rounds
    const double Weighted = Weight * static_cast<double>(Size) + kHalf;
    probeAllocation(P, Size, static_cast<uint64_t>(Weighted));
  }
  if (Process.WritesEvents)
    writeWholeEvent(T, EventKind::Allocate, Id, Size,
                    How == CountResult::Timed);
  if (watchesAllocations(T))
    kFeatures.WatchAllocation(T, P, Size, Id);
}

/// \p Back: null, or as __inmem_from_* have it.
void recordAllocation(ThreadState &T, void *P, uint64_t Size,
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
    recordAllocation(T, P, Size, Id, Reallocated);
}

struct inmem_site *siteOfCaller(ThreadState &T, uintptr_t ReturnAddress) {
  if (struct inmem_site *Expected = T.Expected) {
    T.Expected = nullptr;
    return Expected;
  }
  if (!T.Callers)
    return callerSite(ReturnAddress);
  KnownCaller &Known = T.Callers[knownCallerIndex(ReturnAddress)];
  if (Known.ReturnAddress != ReturnAddress) {
    struct inmem_site *Site = callerSite(ReturnAddress);
    if (!Site)
      return nullptr;
    Known.ReturnAddress = 0;
    orderStores();
    Known.R = nullptr;
    Known.C = nullptr;
    Known.Site = Site;
    orderStores();
    Known.ReturnAddress = ReturnAddress;
  }
  return Known.Site;
}

/// After an event: the next one from there may take the fast path.
void noteCaller(ThreadState &T, uintptr_t ReturnAddress) {
  if (!T.Callers)
    return;
  KnownCaller &Known = T.Callers[knownCallerIndex(ReturnAddress)];
  if (Known.ReturnAddress != ReturnAddress || Known.R)
    return;
  uint32_t Id = idOf(Known.Site);
  if (T.Rows->Paths &&
      (HasCallLabels || (FollowsProgram && !isClosedCaller(*Known.Site))))
    Id = idWithoutPath(*T.Rows->Paths, Known.Site, ReturnAddress);
  if (!Id || Id >= T.Rows->SlotCapacity || !T.Slots[Id].R)
    return;
  Known.C = T.Slots[Id].C;
  orderStores();
  Known.R = T.Slots[Id].R;
}

} // namespace

void takeBack(IndexEntry Value, uint64_t Size) {
  ThreadState &T = Thread;
  const Slot S = T.Slots[siteIn(Value)];
  const Counting Now(T);
  S.R->MovedOut += 1;
  S.R->MovedOutBytes += Size;
  subtractLive(S.C, Size);
  subtractLive(T.Process, Size);
  countDropped();
}

namespace {

/// allocated() as a mode has it, for a site and for a site with its caller.
template <RecordMode>
void *allocatedIn(void *P, uint64_t Size, struct inmem_site *Site);
template <RecordMode>
void *allocatedIn(void *P, uint64_t Size, struct inmem_site *Site,
                  const uintptr_t *Back);

template <>
INMEM_COLD void *allocatedIn<RecordMode::StepByStep>(void *P, uint64_t Size,
                                                     struct inmem_site *Site,
                                                     const uintptr_t *Back) {
  ThreadState &T = Thread;
  {
    SlowEvent S(T);
    if (!S) {
      countDropped();
      return P;
    }
    T.IgnoredSite = Site;
    if (mayRecord(T))
      recordAllocation(T, P, Size, Site, Back, 0, false);
  }
  if (INMEM_UNLIKELY(T.Excess != nullptr))
    kFeatures.ActOnExcess(T, P, (Site->flags & INMEM_SITE_THROWS) != 0);
  return P;
}

template <>
INMEM_COLD void *allocatedIn<RecordMode::StepByStep>(void *P, uint64_t Size,
                                                     struct inmem_site *Site) {
  return allocatedIn<RecordMode::StepByStep>(P, Size, Site, nullptr);
}

/// mode=trace, for an id that is set up on this thread.
INMEM_INLINE void *enterTraced(ThreadState &T, void *P, uint64_t Size,
                               uint32_t Id) {
  QuicklyGuarded G(T);        // no signal handler's event in the middle of ours
  const Slot S = T.Slots[Id]; // a copy stays in registers
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

template <>
__attribute__((noinline)) void *
allocatedIn<RecordMode::Traced>(void *P, uint64_t Size,
                                struct inmem_site *Site) {
  ThreadState &T = Thread;
  uint32_t Id = idOf(Site);
  if (INMEM_UNLIKELY(interruptsEvent(T) || Id >= T.Rows->SlotCapacity ||
                     !T.Slots[Id].R))
    INMEM_TAIL return allocatedIn<RecordMode::StepByStep>(P, Size, Site);
  return enterTraced(T, P, Size, Id);
}

/// Counts in \p S for stacks= or frees=.
INMEM_INLINE void enterStacked(ThreadState &T, const Slot &S, void *P,
                               uint64_t Size, uint32_t Site) {
  CountResult How =
      enterAllocation(T, S, P, Size, siteEntry(Site), /*OwnsGuard=*/true);
  noteNewPeak(T);
  if (INMEM_UNLIKELY(notesFrees()) && How != CountResult::NotCounted)
    noteOwner(T, P);
}

/// For the first event of this site and stack on this thread.
INMEM_COLD void enterStacked(ThreadState &T, void *P, uint64_t Size,
                             uint32_t Site) {
  if (isSiteExcluded(Site))
    return;
  const SavedErrno Kept;
  if (Slot *S = slotOf(T, Site))
    enterStacked(T, *S, P, Size, Site);
  else
    countDropped();
}

/// stacks= or frees=, for an id, with its caller, that is registered.
__attribute__((noinline)) void *enterStacked(void *P, uint64_t Size,
                                             uint32_t Id, HookFrame At) {
  ThreadState &T = Thread;
  QuicklyGuarded G(T);
  if (Process.Config.Stacks)
    Id = siteWithStackAt(T, Id, At);
  if (INMEM_UNLIKELY(Id >= T.Rows->SlotCapacity || !T.Slots[Id].R))
    enterStacked(T, P, Size, Id);
  else
    enterStacked(T, slotAt(T, uint64_t{Id} << kSlotShift), P, Size, Id);
  return P;
}

/// The rest of enterIfKnown() where the process's cell is past its limit.
INMEM_COLD void enterStacked(void *P, uint64_t Size, Slot S, uint32_t Id) {
  ThreadState &T = Thread;
  IndexEntry Value = siteEntry(Id);
  {
    const Counting Now(T);
    if (!liveRose(Size, /*OwnsGuard=*/true))
      return;
    countAllocation(S, P, Size, Value);
  }
  addBlock(P, Size, Value);
  noteNewPeak(T);
  if (notesFrees())
    noteOwner(T, P);
}

/// Counts what the thread's cache of stacks knows; false: it does not. In a
/// child that does not know that it is one, the cache is empty.
INMEM_INLINE bool enterIfKnown(ThreadState &T, void *P, uint64_t Size,
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
      __asm__("" : "+r"(Value)); // or clang branches around the rare case
      countAllocation(S, P, Size, Value);
    }
  }
  if (INMEM_UNLIKELY(PastProcess)) {
    enterStacked(P, Size, S, Id);
    return true;
  }
  addBlock(P, Size, Value);
  noteNewPeak(T); // of a free
  if (INMEM_UNLIKELY(notesFrees()))
    noteOwner(Thread, P);
  return true;
}

/// The rest of allocatedIn<RecordMode::Stacked>() when it tail-calls.
enum class StackedRest : uint8_t {
  NoContext, ///< code without contexts; apart, since it uses other registers
  NewStack   ///< enterIfKnown() did not know the stack
};
template <StackedRest>
void *allocatedRest(void *P, uint64_t Size, struct inmem_site *Site);

template <>
INMEM_COLD void *allocatedRest<StackedRest::NewStack>(void *P, uint64_t Size,
                                                      struct inmem_site *Site) {
  const uint32_t Id = idOf(Site);
  if (interruptsEvent(Thread) || !Id || isUnnoticedChild())
    return allocatedIn<RecordMode::StepByStep>(P, Size, Site);
  return enterStacked(P, Size, Id, HookFrame::ofCaller());
}

template <>
__attribute__((noinline)) void *
allocatedRest<StackedRest::NoContext>(void *P, uint64_t Size,
                                      struct inmem_site *Site) {
  if (INMEM_LIKELY(enterIfKnown(Thread, P, Size, idOf(Site), 0)))
    return P;
  INMEM_TAIL return allocatedRest<StackedRest::NewStack>(P, Size, Site);
}

template <>
__attribute__((noinline)) void *
allocatedIn<RecordMode::Stacked>(void *P, uint64_t Size,
                                 struct inmem_site *Site) {
  const uint64_t Context = __inmem_context;
  if (!Context)
    INMEM_TAIL return allocatedRest<StackedRest::NoContext>(P, Size, Site);
  __builtin_assume(Context != 0);
  if (INMEM_LIKELY(enterIfKnown(Thread, P, Size, idOf(Site), Context)))
    return P;
  INMEM_TAIL return allocatedRest<StackedRest::NewStack>(P, Size, Site);
}

} // namespace

void *allocatedSlow(void *P, uint64_t Size, struct inmem_site *Site) {
  ThreadState &T = Thread;
  auto Mode = static_cast<uint8_t>(static_cast<RecordMode>(T.Mode));
  if (Mode == static_cast<uint8_t>(RecordMode::Traced))
    INMEM_TAIL return allocatedIn<RecordMode::Traced>(P, Size, Site);
  __asm__("" : "+r"(Mode)); // or clang emits a jump table
  if (Mode == static_cast<uint8_t>(RecordMode::Stacked))
    INMEM_TAIL return allocatedIn<RecordMode::Stacked>(P, Size, Site);
  if (skipsNext(T, Size))
    return P;
  INMEM_TAIL return allocatedIn<RecordMode::StepByStep>(P, Size, Site);
}

void *allocatedClosed(void *P, uint64_t Size, struct inmem_site *Site,
                      const uintptr_t *Back) {
  ThreadState &T = Thread;
  const bool Traced = T.Mode == RecordMode::Traced,
             Stacked = T.Mode == RecordMode::Stacked;
  if ((Traced || Stacked) && !interruptsEvent(T) && !isUnnoticedChild()) {
    const uint32_t Id = knownWithCaller(T, Site, Back);
    if (Stacked && Id) {
      if (enterIfKnown(T, P, Size, Id, __inmem_context))
        return P;
      return enterStacked(P, Size, Id, HookFrame::ofCaller());
    }
    if (Traced && Id && Id < T.Rows->SlotCapacity && T.Slots[Id].R)
      return enterTraced(T, P, Size, Id);
  } else if (skipsNext(T, Size)) {
    return P;
  }
  return allocatedIn<RecordMode::StepByStep>(P, Size, Site, Back);
}

void *reallocatedFrom(void *P, uint64_t Size, struct inmem_site *Site,
                      const uintptr_t *Back, uint32_t OldSite) {
  return allocated(P, Size, Site, Back, OldSite);
}

bool enterKeepingType(ThreadState &T, void *P, uint64_t Size, uint32_t Id,
                      uint32_t OldSite) {
  const CallerPaths *Paths = T.Rows ? T.Rows->Paths : nullptr;
  if (!Paths || !T.AllocateSlots || interruptsCount(T))
    return false;
  const CallerMove &M = Paths->Moves[moveIndex(OldSite, Id)];
  const uint32_t To = M.From == OldSite && M.Site == Id ? M.To : 0;
  if (!isBelow(To, T.AllocateSlots) || !T.Slots[To].R)
    return false;
  const Slot S = T.Slots[To];
  if (enterAllocation(T, S, P, Size, siteEntry(To)) != CountResult::NotCounted)
    bumpAlone(S.R->Reallocations, 1);
  return true;
}

void *allocatedSlow(void *P, uint64_t Size, struct inmem_site *Site,
                    uint32_t OldSite) {
  if (OldSite && enterKeepingType(Thread, P, Size, idOf(Site), OldSite))
    return P;
  return allocatedClosed(P, Size, Site, nullptr, OldSite);
}

void *allocatedClosed(void *P, uint64_t Size, struct inmem_site *Site,
                      const uintptr_t *Back, uint32_t OldSite) {
  ThreadState &T = Thread;
  {
    SlowEvent Scope(T);
    if (!Scope) {
      countDropped();
      return P;
    }
    if (mayRecord(T))
      recordAllocation(T, P, Size, Site, Back, OldSite, OldSite != 0);
  }
  if (INMEM_UNLIKELY(T.Excess != nullptr))
    kFeatures.ActOnExcess(T, P, false);
  return P;
}

void *allocatedSlow(void *P, uint64_t Size, uintptr_t ReturnAddress,
                    const uintptr_t *Back, uint32_t OldSite, bool MayThrow) {
  ThreadState &T = Thread;
  if (const KnownCaller *Callers = T.QuickCallers;
      Callers && !OldSite && !bringsSite(T)) {
    const KnownCaller &Known = Callers[knownCallerIndex(ReturnAddress)];
    if (Known.ReturnAddress == ReturnAddress &&
        enterIfKnown(T, *T.QuickPaths, P, Size + (Size == 0), Known.Site, Back))
      return P;
  }
  {
    SlowEvent S(T);
    if (!S) {
      countDropped();
      return P;
    }
    Size += Size == 0;
    if (!mayRecord(T))
      return P;
    if (T.Expected)
      Back = T.ExpectedBack;
    struct inmem_site *Site = siteOfCaller(T, ReturnAddress);
    if (!Site) {
      countDropped();
      return P;
    }
    if (Site->kind == INMEM_SITE_CALLER && MayThrow)
      Site->flags = INMEM_SITE_THROWS; // like all calls that return there
    MayThrow &= (Site->flags & INMEM_SITE_THROWS) != 0;
    recordAllocation(T, P, Size, Site, Back, OldSite, OldSite != 0);
    noteCaller(T, ReturnAddress);
  }
  if (INMEM_UNLIKELY(T.Excess != nullptr))
    kFeatures.ActOnExcess(T, P, MayThrow);
  return P;
}

void *allocatedExpected(void *P, uint64_t Size, uintptr_t ReturnAddress,
                        const uintptr_t *Back, uint32_t OldSite,
                        bool MayThrow) {
  ThreadState &T = Thread;
  struct inmem_site *Site = T.Expected;
  if (INMEM_UNLIKELY(!Site || interruptsEvent(T) || OldSite || MayThrow))
    return allocatedSlow(P, Size, ReturnAddress, Back, OldSite, MayThrow);
  T.Expected = nullptr;
  if (T.ExpectedBack)
    return allocated(P, Size, Site, T.ExpectedBack);
  return allocated(P, Size, Site);
}

void *allocatedClosed(void *P, uint64_t Size, uintptr_t ReturnAddress,
                      const uintptr_t *Back, uint32_t OldSite, bool MayThrow) {
  const ThreadState &T = Thread;
  if (T.Callers && !bringsSite(T)) {
    const KnownCaller &Known = T.Callers[knownCallerIndex(ReturnAddress)];
    if (Known.ReturnAddress == ReturnAddress) {
      if (OldSite)
        return allocated(P, Size, Known.Site, Back, OldSite);
      return allocatedClosed(P, Size + (Size == 0), Known.Site, Back);
    }
  }
  return allocatedSlow(P, Size, ReturnAddress, Back, OldSite, MayThrow);
}

void beginSideTable(ThreadState &T) {
  T.UsesSideTable = true;
  closeAllocations(T);
}

void endSideTable(ThreadState &T) {
  T.UsesSideTable = false;
  updateFastPath(T);
}

} // namespace inmem::rt
