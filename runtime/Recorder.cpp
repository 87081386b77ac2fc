//===- Recorder.cpp - The unusual cases of recording ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First use of a site on a thread, callers without instrumentation, filters,
// sampling, mode=trace, clock=events, a stopped recorder. No lock is taken for
// an event whose thread and site are set up.
//
//===----------------------------------------------------------------------===//
#include "Recorder.h"

#include "EventLives.h"
#include "EventStream.h"
#include "Fork.h"
#include "Frees.h"
#include "Modules.h"
#include "Operators.h"
#include "Orders.h"
#include "Runtime.h"
#include "Sampling.h"
#include "Scopes.h"
#include "SiteRegistry.h"
#include "Snapshots.h"
#include "Stacks.h"
#include "Threads.h"

namespace inmem::rt {

using namespace trace;

namespace {

/// Counts what a nested event (a signal handler within the runtime) loses. What
/// is done for the runtime itself is no loss.
void drop() {
  if (Process.Stage != Phase::Ready || Thread.Ignoring > 0)
    return;
  __atomic_fetch_add(&Process.Trace.header()->DroppedEvents, 1,
                     __ATOMIC_RELAXED);
  Process.Trace.unseal();
}

Slot *slotOf(ThreadState &T, uint32_t Id) {
  ThreadBlock &B = *T.Block;
  if (Id < B.SlotCapacity && B.Slots[Id].R)
    return &B.Slots[Id];
  Locked L(Process.Mutex);
  return makeSlot(T, Id);
}

class Attached {
public:
  explicit Attached(ThreadState &T) : T(T), Ok(attach(T, Borrows)) {}
  ~Attached() {
    if (Borrows)
      giveBack(T);
  }
  explicit operator bool() const { return Ok; }

private:
  ThreadState &T;
  bool Borrows = false;
  bool Ok;
};

/// The life of a block that countFree has just ended, if it was timed.
INMEM_INLINE uint64_t lifeOf(const ThreadState &T, Block B) {
  return lifeSince(B.birth(), T.LastTicks);
}

void recordAllocation(ThreadState &T, void *P, uint64_t Size, uint32_t Id,
                      bool Reallocated) {
  if (Process.Config.Stacks)
    Id = siteWithStack(T, Id);
  Slot *S = slotOf(T, Id);
  if (!S)
    return drop();
  if (Process.Config.Clock.Index == Options::ClockEvents)
    __atomic_fetch_add(&Process.EventBytes, Size, __ATOMIC_RELAXED);
  Entry Value;
  Counted How = countNew(T, *S, Size, Id, /*Inside=*/true, Value);
  if (How == Counted::Not)
    return;
  noteNewPeak(T);
  if (!T.Beside)
    enterBlock(P, Size, Value);
  else if (!addForeign(P, {Value, Size}))
    takeBack(Value, Size);
  if (Process.Config.Clock.Index == Options::ClockEvents && !T.Beside)
    countBirth(P);
  if (notesFrees())
    noteOwner(T, P);
  if (T.CopyFrame) {
    T.Inner.allocations += 1;
    T.Inner.bytes += Size;
  }
  if (Reallocated)
    S->R->Reallocations += 1;
  if (Process.Config.SampleBytes) {
    double Weight = weightOf(Size);
    S->R->WeightedAllocations += Weight;
    S->R->WeightedBytes += Weight * static_cast<double>(Size);
  }
  if (Process.WritesEvents)
    writeWholeEvent(T, EventKind::Allocate, Id, Size, How == Counted::Timed);
  if (watchesAllocations(T))
    watchAllocation(T, P, Size, Id);
}

/// The id to record a block of \p Size bytes under: the new site's, or the old
/// one's if only that one has a type. 0: not to be recorded.
INMEM_COLD uint32_t newIdForSite(struct inmem_site *Site, uint64_t Size,
                                 uint32_t OldSite) {
  bool OldHasType = OldSite > Process.InheritedSites && typeOfSite(OldSite);
  if (!Site->type && OldHasType)
    return plainSite(OldSite);
  uint32_t Id = idOf(Site);
  if (!Id) {
    Locked L(Process.Mutex);
    Id = registerSite(Site, Size);
    if (!Id)
      drop();
  }
  return Id && OldHasType && !typeOfSite(Id) ? plainSite(OldSite) : Id;
}

uint32_t idForSite(struct inmem_site *Site, uint64_t Size, uint32_t OldSite) {
  uint32_t Id = idOf(Site);
  return Id && !OldSite ? Id : newIdForSite(Site, Size, OldSite);
}

/// To be called between announce and writing an entry off the fast path, with
/// the guard and without the mutex.
void waitForIndex() {
  if (INMEM_UNLIKELY(Process.ReturningIndex))
    Locked Wait(Process.Mutex);
}

/// For the duration of a scope: announces a block that need not be the newest.
/// With the guard and without the mutex.
class Announced {
public:
  Announced(ThreadState &T, void *P) : T(T), Newest(T.LastAllocated) {
    announce(T, P);
    waitForIndex();
  }
  ~Announced() { T.LastAllocated = Newest; }

private:
  ThreadState &T;
  void *Newest;
};

void allocatedIn(ThreadState &T, void *P, uint64_t Size,
                 struct inmem_site *Site, uint32_t OldSite, bool Reallocated) {
  waitForIndex();
  Attached A(T);
  if (!A)
    return drop();
  if (Process.Filtered && !passesFilters(T, Size))
    return;
  uint32_t Id = idForSite(Site, Size, OldSite);
  if (Id && !isSiteExcluded(Id))
    recordAllocation(T, P, Size, Id, Reallocated);
}

/// Common to all ways in: may this thread record an allocation now?
bool mayRecord(ThreadState &T) {
  if (T.Suspended > 0 && (T.Ignoring > 0 || isOfOperator(T)))
    return false;
  if (!ensureStarted())
    return false;
  if (INMEM_UNLIKELY(ordersWait()))
    obeyOrders();
  return Process.Recording;
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
    Known = {ReturnAddress, Site};
  }
  return Known.Site;
}

/// The newest block of a thread, as the index has it.
struct Newest {
  Entry *E;
  Entry Value; ///< 0: it is not there
  uint64_t Size;
};

INMEM_INLINE Newest findNewest(ThreadState &T, void *P) {
  auto Address = reinterpret_cast<uintptr_t>(P);
  Entry *E =
      P == T.LastAllocated && isDirect(P) ? entryBelow(Address) : nullptr;
  Entry Value = E ? __atomic_load_n(E, __ATOMIC_RELAXED) : 0;
  if (!Value)
    return {nullptr, 0, 0};
  uint64_t Size = Value >> kSiteBits & kSizeFollows;
  if (INMEM_UNLIKELY(Size == kSizeFollows))
    Size = __atomic_load_n(nextEntry(E, Address), __ATOMIC_RELAXED);
  return {E, Value, Size};
}

/// Which blocks give takes from their sites.
enum class Taken : uint8_t {
  Any,
  Unknown, ///< of which it is not known what they hold
  Asked    ///< the same; and bytes are no news of what is known to be bytes
};

/// Whether a block of a site with a type, \p From, may become one of \p Site.
INMEM_SLOW bool takesFromTyped(uint32_t From, struct inmem_site *Site,
                               Taken What) {
  bool Bytes =
      What == Taken::Asked && relative<inmem_type>(Site->type)->size == 1;
  return What == Taken::Any || !(Bytes || hasObjectType(From));
}

/// give for the usual case: the thread's newest block, while both sites are set
/// up on this thread, of which there are \p Slots. \returns whether it has
/// decided; \p Given, whether that the block is \p Site's now.
INMEM_INLINE bool giveQuickly(ThreadState &T, const Newest &N, uint32_t Slots,
                              struct inmem_site *Site, Taken What,
                              bool &Given) {
  uint32_t Id = idOf(Site), From = N.Value & kMaxSites;
  if (INMEM_UNLIKELY(Id >= Slots) || INMEM_UNLIKELY(From >= Slots))
    return false;
  const Slot New = T.Slots[Id];
  if (INMEM_UNLIKELY(!New.R) || INMEM_UNLIKELY(!New.R->Type))
    return false;
  const Slot Old = T.Slots[From];
  if (INMEM_UNLIKELY(!Old.R))
    return false;
  Given = !Old.R->Type || (From != Id && takesFromTyped(From, Site, What));
  if (!Given)
    return true;
  bump(Old.R->MovedOut, 1);
  bump(Old.R->MovedOutBytes, N.Size);
  subtractLive(Old.C, N.Size);
  bump(New.R->Allocations, 1);
  bump(New.R->Bytes, N.Size);
  addLive(New.C, N.Size);
  __atomic_store_n(N.E, N.Value - From + Id, __ATOMIC_RELAXED);
  return true;
}

/// The same with mode=trace.
INMEM_ASIDE bool giveTraced(void *P, struct inmem_site *Site, Taken What) {
  ThreadState &T = Thread;
  const Newest N = findNewest(T, P);
  QuicklyGuarded G(
      T); // a signal's events must not fall into the middle of ours
  bool Given = false;
  if (!N.Value || !giveQuickly(T, N, T.Block->SlotCapacity, Site, What, Given))
    return false;
  if (Given)
    writeWholeEvent(T, EventKind::Retag, idOf(Site), N.Size, false, nullptr,
                    N.Value & kMaxSites);
  return true;
}

/// Enters \p B, which takeBlock removed from \p P, as a block of site \p Id.
/// \returns false, and does nothing, if there is no room to count it.
bool moveBlock(ThreadState &T, void *P, Block B, uint32_t Id) {
  if (Process.Config.Stacks)
    Id = siteWithStackOf(Id, B.site());
  Slot *NewSlot = slotOf(T, Id);
  if (!NewSlot)
    return false;
  Slot New = *NewSlot; // a copy: making the other slot may move the table
  Slot *OldSlot = slotOf(T, B.site());
  if (!OldSlot)
    return false;
  Slot Old = *OldSlot;
  uint32_t From = B.site();
  Old.R->MovedOut += 1;
  Old.R->MovedOutBytes += B.Size;
  subtractLive(Old.C, B.Size);
  New.R->Allocations += 1;
  New.R->Bytes += B.Size;
  addLive(New.C, B.Size);
  if (Process.Config.SampleBytes) {
    double Weight = weightOf(B.Size);
    New.R->WeightedAllocations += Weight;
    New.R->WeightedBytes += Weight * static_cast<double>(B.Size);
    Old.R->WeightedAllocations -= Weight;
    Old.R->WeightedBytes -= Weight * static_cast<double>(B.Size);
  }
  B = {Id, B.thinned(), B.birth(), B.Size};
  putBack(P, B);
  if (watchesFrees(T))
    watchMove(T, P, B, From);
  if (Process.WritesEvents)
    writeWholeEvent(T, EventKind::Retag, Id, B.Size, false, nullptr, From);
  return true;
}

/// give for all cases; null as \p Asked: the block's size is right.
INMEM_COLD void giveSlowly(void *P, struct inmem_site *Site, Taken What,
                           const Request *Asked) {
  ThreadState &T = Thread;
  if (!P || isInside(T))
    return;
  if (T.Allocates == Way::Traced && !Asked && giveTraced(P, Site, What))
    return;
  SlowEvent Scope(T);
  if (!Scope || !mayRecord(T))
    return;
  Announced This(T, P);
  Block B = takeBlock(P);
  if (!B)
    return;
  auto PutBack = [&] { putBack(P, B); };
  if (B.site() <= Process.InheritedSites || (Asked && !Asked->explains(B.Size)))
    return PutBack();
  if (typeOfSite(B.site()) && !takesFromTyped(B.site(), Site, What))
    return PutBack();
  Attached A(T);
  // A site that cannot name the type does not take a block from one that can.
  uint32_t Id = A ? idForSite(Site, B.Size, B.site()) : 0;
  if (!Id || Id == plainSite(B.site()) || isSiteExcluded(Id))
    return PutBack();
  if (!moveBlock(T, P, B, Id))
    PutBack();
}

/// Out of line: questions answered with no then save no register.
__attribute__((noinline)) void giveExplained(void *P, struct inmem_site *Site,
                                             Entry *E, Entry Value,
                                             uint64_t Size) {
  ThreadState &T = Thread;
  bool Given;
  if (!giveQuickly(T, {E, Value, Size}, T.AllocateSlots, Site, Taken::Asked,
                   Given))
    giveSlowly(P, Site, Taken::Asked, nullptr);
}

INMEM_COLD void giveIfExplained(void *P, struct inmem_site *Site, uint64_t Unit,
                                uint64_t A, uint64_t B) {
  const Request Asked = {Unit, A, B};
  giveSlowly(P, Site, Taken::Asked, &Asked);
}

/// Gives the block that begins at \p P, if one does, to \p Site.
INMEM_INLINE void give(void *P, struct inmem_site *Site, Taken What) {
  ThreadState &T = Thread;
  const Newest N = findNewest(T, P);
  bool Given;
  if (!N.Value || !giveQuickly(T, N, T.AllocateSlots, Site, What, Given))
    giveSlowly(P, Site, What, nullptr);
}

} // namespace

constinit bool ReadsClockFirst = false;

uint64_t generalTicks() {
  if (Process.Config.Clock.Index == Options::ClockEvents)
    return __atomic_load_n(&Process.EventBytes, __ATOMIC_RELAXED);
  if (Thread.HasNoClock)
    return Thread.LastTicks;
  return monotonicNs() >> kTickShift;
}

void ageBirths(uint64_t Now) {
  ThreadState &T = Thread;
  if (Process.Mutex.isOwn() && isInside(T))
    return; // by an event that a signal has interrupted; the next one does it
  SlowPath S(T);
  Locked L(Process.Mutex);
  uint64_t Last = LastAgingTicks;
  if (Now <= Last || Now - Last < kSaturatedLife / 2)
    return; // another thread was first, or this clock lags a little
  if (Last != 0)
    saturateOldBirths(Now, Last);
  __atomic_store_n(&LastAgingTicks, Now, __ATOMIC_RELAXED);
}

void takeBack(Entry Value, uint64_t Size) {
  ThreadState &T = Thread;
  Slot S = T.Slots[Value & kMaxSites];
  S.R->MovedOut += 1;
  S.R->MovedOutBytes += Size;
  subtractLive(S.C, Size);
  subtractLive(T.Process, Size);
  drop();
}

Entry timedEntry(uint32_t Site, bool Thinned) {
  uint64_t Now = keepTime(Thread, ticksNow(Thread));
  if (INMEM_UNLIKELY(agingIsDue(Now)))
    ageBirths(Now);
  return makeEntry(Site, 0, Thinned, birthAt(Now));
}

uint64_t lifeWhenAging(uint64_t Birth, uint64_t Now) {
  uint64_t Life = lifeSinceLongAgo(Birth, Now, LastAgingTicks);
  ageBirths(Now);
  return Life;
}

void countLife(Row *R, Block B) {
  ThreadState &T = Thread;
  if (INMEM_UNLIKELY(T.HasNoClock))
    return;
  uint64_t Life = lifeUntil(T, B, ticksNow(T));
  uint64_t Weight = B.thinned() ? kThinBy : 1;
  // Or clang makes shifts of the multiplications, which are more.
  __asm__("" : "+r"(Weight));
  enterLife(R, Life, Weight, B.Size);
}

ObjectSlot::ObjectSlot(ThreadState &T, struct inmem_site *Site, uint32_t &Id)
    : Slot(), T(T) {
  if (!mayRecord(T) || !attach(T, Borrows))
    return;
  if (Site)
    Id = idForSite(Site, /*Size=*/UINT64_MAX, 0);
  if (!Id || Id <= Process.InheritedSites || isSiteExcluded(Id))
    return;
  if (Slot *Found = slotOf(T, Id))
    static_cast<Slot &>(*this) = *Found;
}

ObjectSlot::~ObjectSlot() {
  if (Borrows)
    giveBack(T);
}

namespace {

INMEM_COLD void *allocatedUnusual(void *P, uint64_t Size,
                                  struct inmem_site *Site) {
  ThreadState &T = Thread;
  {
    SlowEvent S(T);
    if (!S) {
      drop();
      return P;
    }
    T.IgnoredSite = Site;
    if (mayRecord(T))
      allocatedIn(T, P, Size, Site, 0, false);
  }
  if (INMEM_UNLIKELY(T.Excess != nullptr))
    actOnExcess(T, P, (Site->flags & INMEM_SITE_THROWS) != 0);
  return P;
}

__attribute__((noinline)) void *allocatedTraced(void *P, uint64_t Size,
                                                struct inmem_site *Site) {
  ThreadState &T = Thread;
  uint32_t Id = idOf(Site);
  if (INMEM_UNLIKELY(T.Guard != 0 || Id >= T.Block->SlotCapacity ||
                     !T.Slots[Id].R))
    INMEM_TAIL return allocatedUnusual(P, Size, Site);
  QuicklyGuarded G(
      T); // a signal's events must not fall into the middle of ours
  const Slot S = T.Slots[Id]; // a copy stays in registers
  Entry Value;
  Counted How = countNew(T, S, Size, Id, /*Inside=*/true, Value);
  if (INMEM_UNLIKELY(How == Counted::Not))
    return P;
  if (INMEM_LIKELY(How == Counted::Untimed))
    writeEvent(T, EventKind::Allocate, Id, Size);
  else
    writeWholeEvent(T, EventKind::Allocate, Id, Size, true);
  addBlock(P, Size, Value);
  return P;
}

/// Counts in \p S for stacks= or frees=.
INMEM_INLINE void countStacked(ThreadState &T, const Slot &S, void *P,
                               uint64_t Size, uint32_t Site) {
  Counted How = countAllocation(T, S, P, Size, Site, /*Inside=*/true);
  noteNewPeak(T);
  if (notesFrees() && How != Counted::Not)
    noteOwner(T, P);
}

/// For the first event of a site with this stack on this thread.
INMEM_COLD void countFirst(ThreadState &T, void *P, uint64_t Size,
                           uint32_t Site) {
  if (isSiteExcluded(Site))
    return;
  int Saved = errno;
  if (Slot *S = slotOf(T, Site))
    countStacked(T, *S, P, Size, Site);
  else
    drop();
  errno = Saved;
}

__attribute__((noinline)) void *allocatedStacked(void *P, uint64_t Size,
                                                 struct inmem_site *Site) {
  ThreadState &T = Thread;
  uint32_t Id = idOf(Site);
  if (T.Guard != 0 || !Id || isUnnoticedChild())
    return allocatedUnusual(P, Size, Site);
  QuicklyGuarded G(T);
  if (Process.Config.Stacks)
    Id = siteWithStack(T, Id);
  if (INMEM_UNLIKELY(Id >= T.Block->SlotCapacity || !T.Slots[Id].R))
    countFirst(T, P, Size, Id);
  else
    countStacked(T, T.Slots[Id], P, Size, Id);
  return P;
}

INMEM_SLOW void freedUnusual(void *P, Block B) {
  ThreadState &T = Thread;
  SlowEvent Scope(T);
  if (!Scope)
    return drop();
  if (INMEM_UNLIKELY(Process.Stage == Phase::Unborn || isUnnoticedChild())) {
    // A forked child's first event: the block is among those that it inherits.
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
    return drop();
  countFree(T, *S, P, B, /*Inside=*/true);
  if (Process.Config.Clock.Index == Options::ClockEvents)
    countEnd(T, P, B);
  if (notesFrees())
    noteFree(T, P, B);
  if (Process.Config.SampleBytes) {
    double Weight = weightOf(B.Size);
    S->R->WeightedFrees += Weight;
    S->R->WeightedFreedBytes += Weight * static_cast<double>(B.Size);
  }
  if (Process.WritesEvents) {
    uint64_t Life = lifeOf(T, B);
    bool Timed = B.birth() != 0;
    writeWholeEvent(T, EventKind::Free, B.site(), B.Size, Timed,
                    Timed ? &Life : nullptr);
  }
  if (watchesFrees(T))
    watchFree(T, P, B);
}

INMEM_ASIDE void freedTracedTimed(void *P, Block B) {
  ThreadState &T = Thread;
  QuicklyGuarded G(T);
  countFree(T, T.Slots[B.site()], P, B, /*Inside=*/true);
  uint64_t Life = lifeOf(T, B);
  writeWholeEvent(T, EventKind::Free, B.site(), B.Size, true, &Life);
}

INMEM_INLINE void freedTraced(void *P, Block B) {
  ThreadState &T = Thread;
  if (INMEM_UNLIKELY(T.Guard != 0 || B.site() >= T.Block->SlotCapacity ||
                     !T.Slots[B.site()].R))
    return freedUnusual(P, B);
  if (INMEM_UNLIKELY(B.birth() != 0))
    return freedTracedTimed(P, B);
  QuicklyGuarded G(T);
  const Slot S = T.Slots[B.site()];
  countFree(T, S, P, B, /*Inside=*/true);
  writeEvent(T, EventKind::Free, B.site(), B.Size);
}

__attribute__((noinline)) void freeTraced(void *P, Block B) {
  freedTraced(P, B);
  Real.free(P);
}

/// frees=, and nothing else that is unusual.
INMEM_ASIDE void freedNoted(void *P, Block B) {
  ThreadState &T = Thread;
  if (T.Guard != 0 || B.site() >= T.Block->SlotCapacity || !T.Slots[B.site()].R)
    return freedUnusual(P, B);
  QuicklyGuarded G(T);
  countFree(T, T.Slots[B.site()], P, B, /*Inside=*/true);
  noteFree(T, P, B);
}

} // namespace

void *allocatedSlow(void *P, uint64_t Size, struct inmem_site *Site) {
  // Read each time, or clang makes a table of jumps of it.
  ThreadState &T = Thread;
  if (T.Allocates == Way::Traced)
    INMEM_TAIL return allocatedTraced(P, Size, Site);
  if (T.Allocates == Way::Stacked)
    INMEM_TAIL return allocatedStacked(P, Size, Site);
  if (skipsNext(T, Size))
    return P;
  INMEM_TAIL return allocatedUnusual(P, Size, Site);
}

void freedSlow(void *P, Block B) {
  if (Thread.Allocates == Way::Traced)
    return freedTraced(P, B);
  if (Thread.NotesFrees)
    return freedNoted(P, B);
  return freedUnusual(P, B);
}

void freeSlow(void *P, Block B) {
  if (Thread.Allocates == Way::Traced)
    return freeTraced(P, B);
  freedSlow(P, B);
  Real.free(P);
}

void *reallocatedSlow(void *P, uint64_t Size, struct inmem_site *Site,
                      uint32_t OldSite) {
  ThreadState &T = Thread;
  {
    SlowEvent Scope(T);
    if (!Scope) {
      drop();
      return P;
    }
    if (mayRecord(T))
      allocatedIn(T, P, Size, Site, OldSite, OldSite != 0);
  }
  if (INMEM_UNLIKELY(T.Excess != nullptr))
    actOnExcess(T, P, false);
  return P;
}

void *allocatedByUnknownSlow(void *P, uint64_t Size, uintptr_t ReturnAddress,
                             uint32_t OldSite, bool MayThrow) {
  ThreadState &T = Thread;
  {
    SlowEvent S(T);
    if (!S) {
      drop();
      return P;
    }
    Size += Size == 0;
    if (!mayRecord(T))
      return P;
    struct inmem_site *Site = siteOfCaller(T, ReturnAddress);
    if (!Site) {
      drop();
      return P;
    }
    if (Site->kind == INMEM_SITE_CALLER && MayThrow)
      Site->flags = INMEM_SITE_THROWS; // as all calls that return there
    MayThrow &= (Site->flags & INMEM_SITE_THROWS) != 0;
    allocatedIn(T, P, Size, Site, OldSite, OldSite != 0);
  }
  if (INMEM_UNLIKELY(T.Excess != nullptr))
    actOnExcess(T, P, MayThrow);
  return P;
}

void retag(void *P, struct inmem_site *Site) {
  // A function that returns a new block has just allocated it. Any other
  // pointer may lead into an arena, where the index knows no blocks.
  if (P == Thread.LastAllocated)
    give(P, Site, Taken::Any);
}

void retagOwned(void *P, struct inmem_site *Site) {
  give(P, Site, Taken::Unknown);
}

void retagSized(void *P, struct inmem_site *Site, uint64_t Unit, uint64_t A,
                uint64_t B) {
  ThreadState &T = Thread;
  if (P != T.LastAllocated)
    return;
  const Newest N = findNewest(T, P);
  if (INMEM_UNLIKELY(!N.Value))
    return giveIfExplained(P, Site, Unit, A, B);
  if (Request{Unit, A, B}.explains(N.Size))
    giveExplained(P, Site, N.E, N.Value, N.Size);
}

void becomeObject(void *P, const struct inmem_type *Type) {
  constexpr uint64_t kMostForAlignment = 15;
  ThreadState &T = Thread;
  Block B = peekBlock(P);
  auto IsRaw = [&] {
    return B && B.site() > Process.InheritedSites && !hasObjectType(B.site()) &&
           B.Size - Type->size <= kMostForAlignment;
  };
  if (!IsRaw() || !mayRecord(T))
    return;
  Announced This(T, P);
  B = takeBlock(P);
  if (!B)
    return;
  Attached A(T);
  uint32_t Id = 0;
  if (A && IsRaw()) {
    Locked L(Process.Mutex);
    Id = registerPlacedSite(plainSite(B.site()), Type);
  }
  if (!Id || isSiteExcluded(Id) || !moveBlock(T, P, B, Id))
    putBack(P, B);
}

void restore(void *P, Block B) {
  ThreadState &T = Thread;
  SlowPath S(T);
  Announced This(T, P);
  putBack(P, B);
}

void beginBeside(ThreadState &T) {
  T.Beside = true;
  T.AllocateSlots = 0;
  T.Allocates = Way::Unusual;
}

void endBeside(ThreadState &T) {
  T.Beside = false;
  updateFastPath(T);
}

/// False if there are orders that cannot be obeyed here, within the runtime:
/// then the next event tries again.
static bool obeyBetweenEvents(ThreadState &T, bool Inside) {
  if (!ordersWait() || isWithin(T, Inside))
    return false;
  SlowPath S(T);
  obeyOrders();
  return true;
}

bool liveRose(uint64_t Size, bool Inside) {
  ThreadState &T = Thread;
  Cell *C = T.Process;
  if (INMEM_LIKELY(!ordersWait())) {
    flushCell(C);
    return true;
  }
  auto Bytes = static_cast<int64_t>(Size);
  C->Delta -= Bytes;
  C->High = C->Delta;
  flushCell(C);
  if (obeyBetweenEvents(T, Inside) && !Process.Recording)
    return false;
  addLive(C, Size);
  return true;
}

void liveFell(uint64_t Size, bool Inside) {
  ThreadState &T = Thread;
  Cell *C = T.Process;
  if (INMEM_LIKELY(!ordersWait())) {
    flushCell(C);
  } else {
    C->Delta += static_cast<int64_t>(Size);
    flushCell(C);
    obeyBetweenEvents(T, Inside);
    subtractLive(C, Size);
  }
  considerReturningIndex(Inside);
}

static void begin(ThreadState &T) {
  ++T.Suspended;
  T.AllocateSlots = 0;
  T.Allocates = Way::Unusual;
}

static void end(ThreadState &T) {
  if (--T.Suspended > 0)
    return;
  if (INMEM_UNLIKELY(T.ActsOnShared))
    leaveSharedBudget(T);
  updateFastPath(T);
}

void suspend(ThreadState &T) {
  ++T.Ignoring;
  begin(T);
}

void resume(ThreadState &T) {
  --T.Ignoring;
  end(T);
}

// A signal between two of these lines finds itself in a handler of that
// operator, or in no operator.
inmem_operator enterOperator(ThreadState &T, inmem_operator Entered) {
  inmem_operator Outer = T.Operator;
  T.Operator = Entered;
  __asm__ volatile("" ::: "memory");
  begin(T);
  return Outer;
}

void leaveOperator(ThreadState &T, inmem_operator Outer) {
  if (T.Suspended > T.Ignoring)
    end(T);
  __asm__ volatile("" ::: "memory");
  T.Operator = Outer;
}

} // namespace inmem::rt
