//===- Recorder.cpp - The unusual cases of recording -----------------------===//
//
// First use of a site on a thread, callers without instrumentation, filters,
// sampling, mode=trace, clock=events, a stopped recorder. No lock is taken for
// an event whose thread and site are set up.
//
//===----------------------------------------------------------------------===//
#include "Recorder.h"

#include "Modules.h"
#include "Runtime.h"
#include "SiteRegistry.h"
#include "Threads.h"

#include <errno.h>

namespace inmem::rt {

using namespace trace;

constinit uint32_t ThinBy = 32;

namespace {

/// Inside the runtime: guard set, errno restored at the end.
class SlowPath {
public:
  explicit SlowPath(ThreadState &T) : G(T), Saved(errno) {}
  ~SlowPath() { errno = Saved; }

private:
  Guarded G;
  int Saved;
};

/// Counts what a nested event (a signal handler within the runtime) loses.
void drop() {
  if (Process.Stage == Phase::Ready)
    __atomic_fetch_add(&Process.Trace.header()->DroppedEvents, 1,
                       __ATOMIC_RELAXED);
}

Slot *slotOf(ThreadState &T, uint32_t Id) {
  ThreadBlock &B = *T.Block;
  if (Id < B.SlotCapacity && B.Slots[Id].R)
    return &B.Slots[Id];
  Locked L(Process.Mutex);
  return makeSlot(T, Id);
}

/// A thread that has ended borrows a block for one event.
class Attached {
public:
  explicit Attached(ThreadState &T) : T(T) {
    if (!T.Block) {
      Locked L(Process.Mutex);
      Ok = attachThread(T);
    } else if (T.AllocateSlots == 0 || T.FreeSlots == 0) {
      updateFastPath(T); // recording may have been switched on again
    }
    if (T.Suspended)
      T.AllocateSlots = 0;
  }
  ~Attached() {
    if (threadHasEnded() && T.Block) {
      Locked L(Process.Mutex);
      detachThread(T);
    }
  }
  explicit operator bool() const { return Ok; }

private:
  ThreadState &T;
  bool Ok = true;
};

/// ln(x) for 0 < x <= 1: x = m * 2^e with m in [1/sqrt 2, sqrt 2), then
/// 2 artanh((m-1)/(m+1)) by its series; error below 1e-12. Here because libm
/// must not become a dependency of every instrumented program.
double naturalLog(double X) {
  uint64_t Bits;
  __builtin_memcpy(&Bits, &X, sizeof Bits);
  int Exponent = static_cast<int>(Bits >> 52) - 1023;
  Bits = (Bits & 0xFFFFFFFFFFFFFu) | uint64_t{1023} << 52;
  double M;
  __builtin_memcpy(&M, &Bits, sizeof M);
  if (M > 1.4142135623730951) {
    M /= 2;
    ++Exponent;
  }
  double T = (M - 1) / (M + 1), Square = T * T, Sum = 0, Power = T;
  for (int I = 1; I < 24; I += 2, Power *= Square)
    Sum += Power / I;
  return 2 * Sum + Exponent * 0.6931471805599453;
}

/// 1 - e^-x for x >= 0.
double oneMinusExp(double X) {
  if (X > 40)
    return 1;
  // e^-x = (e^-(x/2^k))^(2^k) would lose digits near 0: use expm1's doubling,
  // f(2y) = f(y) * (2 - f(y)) for f(y) = 1 - e^-y.
  int Halvings = 0;
  while (X > 0.01) {
    X /= 2;
    ++Halvings;
  }
  double F = X * (1 - X / 2 * (1 - X / 3 * (1 - X / 4 * (1 - X / 5))));
  while (Halvings-- > 0)
    F *= 2 - F;
  return F;
}

double nextUniform(ThreadBlock &B) { // xorshift64*, Vigna 2016
  B.Random ^= B.Random >> 12;
  B.Random ^= B.Random << 25;
  B.Random ^= B.Random >> 27;
  uint64_t Value = B.Random * 0x2545F4914F6CDD1Du;
  return (static_cast<double>(Value >> 11) + 1) * 0x1.0p-53;
}

/// Poisson sampling of bytes: an allocation of s bytes is taken with
/// probability 1 - e^(-s/mean); its weight is the inverse of that.
bool isSampled(ThreadBlock &B, uint64_t Size) {
  double Mean = static_cast<double>(Process.Config.SampleBytes);
  if (B.BytesToSample < 0)
    B.BytesToSample = -Mean * naturalLog(nextUniform(B));
  B.BytesToSample -= static_cast<double>(Size);
  if (B.BytesToSample > 0)
    return false;
  // The process has no memory: what is left of this allocation does not
  // shorten the way to the next sample.
  B.BytesToSample = -Mean * naturalLog(nextUniform(B));
  return true;
}

double weightOf(uint64_t Size) {
  return 1 / oneMinusExp(static_cast<double>(Size) /
                         static_cast<double>(Process.Config.SampleBytes));
}

bool passesFilters(ThreadBlock &B, uint64_t Size) {
  const Options &O = Process.Config;
  if (Size < O.MinSize)
    return false;
  if (O.Every > 1 && ++B.Skipped % O.Every != 0)
    return false;
  return O.SampleBytes == 0 || isSampled(B, Size);
}

char *putVarint(char *At, uint64_t Value) {
  for (; Value >= 0x80; Value >>= 7)
    *At++ = static_cast<char>(Value | 0x80);
  *At++ = static_cast<char>(Value);
  return At;
}

/// Appends one event to the thread's stream (Format.h has its layout).
void writeEvent(ThreadState &T, EventKind Kind, uint32_t Site, uint64_t Size,
                uint64_t Now, const uint64_t *Life, uint32_t From) {
  ThreadBlock &B = *T.Block;
  ExtentHeader *E = B.Events;
  if (!E || E->Used + kMaxEventBytes > E->Bytes - sizeof(ExtentHeader)) {
    Locked L(Process.Mutex);
    constexpr uint64_t kEventExtent = 256 * 1024;
    E = Process.Trace.addExtent(ExtentKind::Events, B.Index, 0,
                                kEventExtent - sizeof(ExtentHeader));
    if (!E)
      return drop();
    if (!B.Events)
      B.EventTicks = Process.Trace.header()->StartTicks >>
                     Process.Trace.header()->TickShift;
    B.Events = E;
  }
  char *Start = reinterpret_cast<char *>(E + 1) + E->Used;
  uint8_t Tag = static_cast<uint8_t>(Kind);
  char *At = Start + 1;
  if (Site == B.EventSite)
    Tag |= kSameSite;
  else
    At = putVarint(At, Site);
  if (Size == B.EventSize)
    Tag |= kSameSize;
  else
    At = putVarint(At, Size);
  At = putVarint(At, Now > B.EventTicks ? Now - B.EventTicks : 0);
  if (Life) {
    Tag |= kTimed;
    At = putVarint(At, *Life);
  }
  if (Kind == EventKind::Retag)
    At = putVarint(At, From);
  *Start = static_cast<char>(Tag);
  B.EventSite = Site;
  B.EventSize = Size;
  if (Now > B.EventTicks)
    B.EventTicks = Now;
  __atomic_store_n(&E->Used,
                   E->Used + static_cast<uint64_t>(At - Start),
                   __ATOMIC_RELEASE);
}

bool writesEvents() {
  return Process.Config.Mode.Index == Options::ModeTrace;
}

void recordAllocation(ThreadState &T, void *P, uint64_t Size, uint32_t Id,
                      bool Reallocated) {
  Slot *S = slotOf(T, Id);
  if (!S)
    return drop();
  if (Process.Config.Clock.Index == Options::ClockEvents)
    __atomic_fetch_add(&Process.EventBytes, Size, __ATOMIC_RELAXED);
  countAllocation(T, *S, P, Size, Id);
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
  if (writesEvents())
    writeEvent(T, EventKind::Allocate, Id, Size, ticksNow(T), nullptr, 0);
}

/// The id to record under: the new site's, or the old one's if only that one
/// has a type. 0: not to be recorded.
uint32_t idForSite(struct inmem_site *Site, uint32_t OldSite) {
  if (OldSite > Process.InheritedSites && !Site->type && typeOfSite(OldSite))
    return OldSite;
  uint32_t Id = Site->id;
  if (!Id) {
    Locked L(Process.Mutex);
    Id = registerSite(Site);
    if (!Id)
      drop();
  }
  return Id;
}

void allocatedIn(ThreadState &T, void *P, uint64_t Size,
                 struct inmem_site *Site, uint32_t OldSite, bool Reallocated) {
  Attached A(T);
  if (!A)
    return drop();
  if (Process.General && !passesFilters(*T.Block, Size))
    return;
  uint32_t Id = idForSite(Site, OldSite);
  if (Id && !isSiteExcluded(Id))
    recordAllocation(T, P, Size, Id, Reallocated);
}

/// Common to all ways in: may this thread record an allocation now?
bool mayRecord(ThreadState &T) {
  if (T.Suspended > 0)
    return false;
  return ensureStarted() && Process.Recording;
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

} // namespace

uint64_t generalTicks() {
  if (Process.Config.Clock.Index == Options::ClockEvents)
    return __atomic_load_n(&Process.EventBytes, __ATOMIC_RELAXED);
  return monotonicNs() >> kTickShift;
}

void ageBirths(uint64_t Now) {
  ThreadState &T = Thread;
  SlowPath S(T);
  Locked L(Process.Mutex);
  uint64_t Last = LastAgingTicks;
  if (Now <= Last || Now - Last < kSaturatedLife / 2)
    return; // another thread was first, or this clock lags a little
  if (Last != 0)
    saturateOldBirths(Now, Last);
  __atomic_store_n(&LastAgingTicks, Now, __ATOMIC_RELAXED);
}

Entry timedEntry(uint32_t Site, bool Thinned) {
  uint64_t Now = ticksNow(Thread);
  if (INMEM_UNLIKELY(agingIsDue(Now)))
    ageBirths(Now);
  return makeEntry(Site, 0, Thinned, birthAt(Now));
}

void enterLife(Row *R, uint64_t Life, uint64_t Weight, uint64_t Bytes) {
  if (R->Timed++ == 0 || Life < R->MinTicks)
    R->MinTicks = Life;
  if (Life > R->MaxTicks)
    R->MaxTicks = Life;
  R->WeightedTimed += Weight;
  R->SumTicks += Weight * Life;
  unsigned O = octaveOf(Life);
  Octave *Buckets =
      R->Octaves[O]
          ? reinterpret_cast<Octave *>(TraceBase + uint64_t{R->Octaves[O]} * 64)
          : makeOctave(R, O);
  if (INMEM_UNLIKELY(!Buckets))
    return;
  auto &Bucket = Buckets->Buckets[bucketInOctave(Life)];
  Bucket.Count += Weight;
  Bucket.Bytes += Weight * Bytes;
}

void countLife(Row *R, Block B) {
  uint64_t Birth = B.birth();
  uint64_t Now = ticksNow(Thread);
  uint64_t Life = lifeSince(Birth, Now);
  if (INMEM_UNLIKELY(agingIsDue(Now))) {
    Life = lifeSinceLongAgo(Birth, Now, LastAgingTicks);
    ageBirths(Now);
  }
  enterLife(R, Life, B.thinned() ? ThinBy : 1, B.Size);
}

bool slotForObjects(ThreadState &T, struct inmem_site *Site, uint32_t &Id,
                    Slot &S) {
  if (!mayRecord(T))
    return false;
  Attached A(T);
  if (!A)
    return false;
  if (Site)
    Id = idForSite(Site, 0);
  if (!Id || Id <= Process.InheritedSites || isSiteExcluded(Id))
    return false;
  Slot *Found = slotOf(T, Id);
  if (Found)
    S = *Found;
  return Found != nullptr;
}

void allocatedSlow(void *P, uint64_t Size, struct inmem_site *Site) {
  ThreadState &T = Thread;
  if (Process.Stage == Phase::Off)
    return;
  if (T.Guard > 0)
    return drop();
  SlowPath S(T);
  if (mayRecord(T))
    allocatedIn(T, P, Size, Site, 0, false);
}

void reallocated(void *P, uint64_t Size, struct inmem_site *Site,
                 uint32_t OldSite) {
  ThreadState &T = Thread;
  Size += Size == 0;
  uint32_t Id = Site->id;
  // The old site stays where it has a type and the new one has none.
  const Row *Old = OldSite && OldSite < T.AllocateSlots ? T.Slots[OldSite].R
                                                        : nullptr;
  if (!Site->type && Old && Old->Type)
    Id = OldSite;
  if (INMEM_LIKELY(Id < T.AllocateSlots) && (Site->type || !OldSite || Old)) {
    Slot S = T.Slots[Id];
    if (INMEM_LIKELY(S.R != nullptr)) {
      countAllocation(T, S, P, Size, Id);
      S.R->Reallocations += OldSite != 0;
      return;
    }
  }
  if (T.Guard > 0)
    return drop();
  SlowPath Scope(T);
  if (mayRecord(T))
    allocatedIn(T, P, Size, Site, OldSite, OldSite != 0);
}

void allocatedByUnknownSlow(void *P, uint64_t Size, uintptr_t ReturnAddress,
                        uint32_t OldSite) {
  ThreadState &T = Thread;
  if (T.Guard > 0)
    return drop();
  SlowPath S(T);
  Size += Size == 0;
  if (!mayRecord(T))
    return;
  if (struct inmem_site *Site = siteOfCaller(T, ReturnAddress))
    allocatedIn(T, P, Size, Site, OldSite, OldSite != 0);
  else
    drop();
}

void freedSlow(void *P, Block B) {
  ThreadState &T = Thread;
  if (B.site() <= Process.InheritedSites)
    return; // the parent's block; it counts there
  if (T.Guard > 0)
    return drop();
  SlowPath Scope(T);
  if (!ensureStarted())
    return;
  Attached A(T);
  Slot *S = A ? slotOf(T, B.site()) : nullptr;
  if (!S)
    return drop();
  countFree(T, *S, P, B);
  if (Process.Config.SampleBytes) {
    double Weight = weightOf(B.Size);
    S->R->WeightedFrees += Weight;
    S->R->WeightedFreedBytes += Weight * static_cast<double>(B.Size);
  }
  if (writesEvents()) {
    uint64_t Now = ticksNow(T);
    uint64_t Life = lifeSince(B.birth(), Now);
    writeEvent(T, EventKind::Free, B.site(), B.Size, Now,
               B.birth() ? &Life : nullptr, 0);
  }
}

void retag(void *P, struct inmem_site *Site) {
  ThreadState &T = Thread;
  // A function that returns a new block has just allocated it. Any other
  // pointer may lead into an arena, where the index knows no blocks.
  if (!P || P != T.LastAllocated || T.Guard > 0)
    return;
  Block B = takeBlock(P);
  if (!B)
    return;
  SlowPath Scope(T);
  auto PutBack = [&] { putBack(P, B); };
  if (!mayRecord(T) || B.site() <= Process.InheritedSites)
    return PutBack();
  Attached A(T);
  // A site that cannot name the type does not take a block from one that can.
  uint32_t Id = A ? idForSite(Site, B.site()) : 0;
  if (!Id || Id == B.site() || isSiteExcluded(Id))
    return PutBack();
  Slot *NewSlot = slotOf(T, Id);
  if (!NewSlot)
    return PutBack();
  Slot New = *NewSlot; // a copy: making the other slot may move the table
  Slot *OldSlot = slotOf(T, B.site());
  if (!OldSlot)
    return PutBack();
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
  PutBack();
  if (writesEvents())
    writeEvent(T, EventKind::Retag, Id, B.Size, ticksNow(T), nullptr, From);
}

void suspend(ThreadState &T) {
  ++T.Suspended;
  T.AllocateSlots = 0;
}

void resume(ThreadState &T) {
  if (--T.Suspended == 0)
    updateFastPath(T);
}

} // namespace inmem::rt
