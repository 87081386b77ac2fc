//===- Supply.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Supply.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>

namespace inmem::place {

constinit uintptr_t RangeBase = 0, RangeBytes = 0, QuartersEnd = 0;
constinit Supply TheSupply = {};

namespace {

constexpr size_t kGrowth = size_t{1} << 20; ///< bytes mapped in one step
constexpr size_t kLeastWarm = 8;            ///< quarters that keep their pages
constexpr unsigned kMostLookedAt = 16;      ///< slabs examined in a list
constexpr size_t kMostWindow = size_t{1} << 40;
constexpr size_t kLeastWindow = size_t{16} << 20;
/// Pages that are wanted again within this time were returned too soon.
constexpr uint32_t kSoonMs = 20;
/// As above in wall time, if the program got less than kSoonMs of CPU time.
constexpr uint32_t kSoonIfBusyMs = 40;
/// The time for which more than kLeastWarm quarters stay warm after pages were
/// last returned too soon.
constexpr uint64_t kKeepNs = 1'000'000'000;
/// Number of returned quarters that are wanted again from which we decide
/// whether most are wanted soon.
constexpr size_t kRecent = 160;

uint64_t nsOf(clockid_t Clock) {
  timespec Now;
  clock_gettime(Clock, &Now);
  return static_cast<uint64_t>(Now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(Now.tv_nsec);
}
uint64_t coarseNs() { return nsOf(CLOCK_MONOTONIC_COARSE); }

Moment now() {
  const auto Ms = [](clockid_t Clock) {
    return static_cast<uint32_t>(nsOf(Clock) / 1'000'000);
  };
  return {larger(Ms(CLOCK_MONOTONIC_COARSE), 1U), Ms(CLOCK_PROCESS_CPUTIME_ID)};
}

/// A moment that noteWanted() no longer counts as soon.
Moment longAgo() {
  const Moment Now = now();
  return {Now.Wall - kSoonIfBusyMs, Now.Cpu - kSoonMs};
}

constexpr size_t quartersOf(bool Whole) { return Whole ? kParts : 1; }

/// Quarter \p Part of the extent that contains a slab.
Slab *quarter(const Slab *S, size_t Part) {
  const uintptr_t Offset = reinterpret_cast<uintptr_t>(S->Start) - RangeBase;
  return quarterAt(RangeBase, Offset / kLargeSlab, Part);
}

} // namespace

/// Needs Guard. Finds unused addresses and starts the range in their middle:
/// slabs grow upwards from there and headers downwards, while other mappings
/// come from either end. Nothing is reserved, because RLIMIT_AS, which may be
/// set later, counts reserved addresses too.
void Supply::chooseRange() {
  Tried = true;
  for (size_t Window = kMostWindow; Window >= kLeastWindow; Window /= 2) {
    void *Start = mmap(nullptr, Window, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Start == MAP_FAILED)
      continue;
    munmap(Start, Window);
    Fresh = (reinterpret_cast<uintptr_t>(Start) + Window / 2) & ~(kSlab - 1);
    QuartersEnd = Fresh - Window / 256;
    __atomic_store_n(&RangeBase, Fresh, __ATOMIC_RELAXED);
    return;
  }
}

/// Needs Guard. Maps pages at that address; false if there is no memory, or if
/// something else is mapped there.
bool Supply::mapAt(uintptr_t Address, size_t Bytes) {
  auto *Wanted = reinterpret_cast<void *>(Address);
  void *Got = mmap(Wanted, Bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (Got == Wanted)
    return true;
  Closed = Got != MAP_FAILED || errno == EEXIST;
  if (Got != MAP_FAILED) // before Linux 4.17 the address is just a hint
    munmap(Got, Bytes);
  return false;
}

/// Needs Guard. Maps headers below \p End. \param Mapped bytes already mapped
bool Supply::growHeaders(uintptr_t End, size_t &Mapped, size_t Needed) {
  Needed = (Needed + pageSize() - 1) & ~(pageSize() - 1);
  if (Needed > Mapped) {
    if (!mapAt(End - Needed, Needed - Mapped))
      return false;
    Mapped = Needed;
  }
  return true;
}

/// Needs Guard. False if there is no memory or the range is full.
bool Supply::growRange(size_t Bytes) {
  if (RangeBase == 0 || Closed)
    return false;
  const size_t Extents = (RangeBytes + Bytes) / kLargeSlab;
  if (!growHeaders(RangeBase, ExtentBytes, Extents * sizeof(Extent)) ||
      !growHeaders(QuartersEnd, QuarterBytes,
                   Extents * (kParts - 1) * sizeof(Slab)))
    return false;
  if (!mapAt(RangeBase + RangeBytes, Bytes))
    return false;
  __atomic_store_n(&RangeBytes, RangeBytes + Bytes, __ATOMIC_RELAXED);
  return true;
}

void Supply::push(Stock &To, Slab *S, bool Whole) {
  Slab *&Head = Whole ? To.Wholes : To.Quarters;
  S->Prev = nullptr;
  S->Next = Head;
  if (Head)
    Head->Prev = S;
  Head = S;
  To.Count += quartersOf(Whole);
  S->Stock = Whole ? nullptr : &To;
}

void Supply::remove(Stock &From, Slab *S, bool Whole) {
  (S->Prev ? S->Prev->Next : Whole ? From.Wholes : From.Quarters) = S->Next;
  if (S->Next)
    S->Next->Prev = S->Prev;
  From.Count -= quartersOf(Whole);
  S->Stock = nullptr;
}

void Supply::put(Stock &To, Slab *S, bool Whole) {
  push(To, S, Whole);
  if (Whole)
    return;
  for (size_t Part = 0; Part < kParts; ++Part)
    if (quarter(S, Part)->Stock != &To)
      return;
  for (size_t Part = 0; Part < kParts; ++Part)
    remove(To, quarter(S, Part), false);
  Slab *const First = quarter(S, 0);
  First->Emptied = S->Emptied;
  push(To, First, true);
}

/// Turns an empty extent into four quarters.
void Supply::divide(Stock &From, Slab *First) {
  remove(From, First, true);
  First->become(SlabKind::Uniform); // else slabOf takes it for a large one
  for (size_t Part = kParts; Part-- > 0;) {
    Slab *S = quarter(First, Part);
    S->Start = First->Start + Part * kSlab;
    S->Emptied = First->Emptied;
    push(From, S, false);
  }
}

/// The lowest of the first few whole extents. Low extents are divided first, so
/// that few pages of quarters' headers are touched.
Slab *Supply::lowestWhole(const Stock &From) {
  Slab *Lowest = From.Wholes;
  unsigned Left = kMostLookedAt;
  for (Slab *S = From.Wholes; S && Left > 0; S = S->Next, --Left)
    if (S->Start < Lowest->Start)
      Lowest = S;
  return Lowest;
}

/// A quarter from an extent with few empty quarters, so that other extents
/// become whole again. Checks only the first few.
Slab *Supply::bestQuarter(const Stock &From) {
  Slab *Best = nullptr;
  unsigned Fewest = kParts + 1, Left = kMostLookedAt;
  for (Slab *S = From.Quarters; S && Left > 0; S = S->Next, --Left) {
    unsigned Empty = 0;
    for (size_t Part = 0; Part < kParts; ++Part)
      Empty += quarter(S, Part)->Stock != nullptr;
    if (Empty < Fewest) {
      Fewest = Empty;
      Best = S;
    }
  }
  return Best;
}

/// Takes a slab from a stock; null if the stock is empty. If it has no quarter,
/// divides a whole extent.
Slab *Supply::get(Stock &From, bool Whole) {
  if (!Whole && !From.Quarters && From.Wholes)
    divide(From, lowestWhole(From));
  Slab *S = Whole ? From.Wholes : bestQuarter(From);
  if (S)
    remove(From, S, Whole);
  return S;
}

/// Needs Guard. A program that wants pages back soon after their return is
/// likely to do so again, so next time they are kept. If most pages are wanted
/// later, at most a tenth of the range is kept; otherwise an early phase would
/// decide for the rest of the run.
void Supply::noteWanted(const Slab &S, bool Whole) {
  const Moment Now = now();
  const uint32_t Wall = Now.Wall - S.Emptied.Wall,
                 Cpu = Now.Cpu - S.Emptied.Cpu;
  const bool IsSoon = Wall < kSoonMs || (Wall < kSoonIfBusyMs && Cpu < kSoonMs);
  (IsSoon ? WantedSoon : WantedLate) += quartersOf(Whole);
  if (WantedSoon + WantedLate > kRecent) {
    WantedSoon /= 2;
    WantedLate /= 2;
  }
  if (IsSoon) {
    TooSoonNs = coarseNs();
    Kept += quartersOf(Whole);
  }
  const size_t Range = (Fresh - RangeBase) / kSlab;
  Kept = smaller(Kept, WantedLate > WantedSoon ? Range / 10 : Range);
}

/// Needs Guard. Adds an unused extent to the cold ones; false if there is no
/// memory or the range is full.
bool Supply::addExtent() {
  if (!Tried)
    chooseRange();
  if (RangeBase + RangeBytes == Fresh && !growRange(kGrowth))
    return false;
  Slab *S = quarterAt(RangeBase, (Fresh - RangeBase) / kLargeSlab, 0);
  S->Start = reinterpret_cast<char *>(Fresh);
  Fresh += kLargeSlab;
  push(Cold, S, true);
  return true;
}

Slab *Supply::takeWarm(bool Whole) {
  Locked L(Guard);
  return get(Warm, Whole);
}

Slab *Supply::takeCold(bool Whole) {
  const int Errno = errno;
  Slab *S = nullptr;
  bool WasUsed = false;
  {
    Locked L(Guard);
    // Cool as many warm quarters as are taken cold, so that the number of
    // mapped pages stays level.
    if (Warm.Count)
      coolTo(Warm.Count - smaller(Warm.Count, quartersOf(Whole)), longAgo());
    S = get(Cold, Whole);
    if (!S && addExtent())
      S = get(Cold, Whole);
    WasUsed = S && S->Emptied.Wall != 0;
    if (WasUsed)
      noteWanted(*S, Whole);
  }
#ifdef MADV_POPULATE_WRITE
  // A slab that is taken again will be filled: one system call is cheaper than
  // a fault per page. Kernels without MADV_POPULATE_WRITE fault the pages in
  // one by one.
  if (WasUsed)
    madvise(S->Start, kSlab * quartersOf(Whole), MADV_POPULATE_WRITE);
#endif
  errno = Errno;
  return S;
}

/// Needs Guard. Returns the pages of warm slabs until no more quarters are warm
/// than the limit allows.
void Supply::coolDown() {
  if (Kept && coarseNs() - TooSoonNs >= kKeepNs)
    Kept = 0;
  if (Warm.Count > kLeastWarm + Kept)
    coolTo(kLeastWarm + Kept, now());
}

/// Under Guard.
void Supply::coolTo(size_t Quarters, Moment When) {
  while (Warm.Count > Quarters) {
    const bool Whole = Warm.Wholes != nullptr;
    Slab *S = get(Warm, Whole);
    madvise(S->Start, kSlab * quartersOf(Whole), MADV_DONTNEED);
    S->Emptied = When;
    put(Cold, S, Whole);
  }
}

void Supply::give(Slab *S) {
  const int Errno = errno;
  {
    Locked L(Guard);
    put(Warm, S, S->Kind == SlabKind::Large);
    coolDown();
  }
  errno = Errno;
}

bool Supply::trim() {
  const int Errno = errno;
  bool Any = false;
  {
    Locked L(Guard);
    Any = Warm.Count > 0;
    Kept = 0;
    if (Any)
      coolTo(0, longAgo());
  }
  errno = Errno;
  return Any;
}

size_t Supply::bytesTaken() {
  Locked L(Guard);
  return Fresh - RangeBase - (Warm.Count + Cold.Count) * kSlab;
}

} // namespace inmem::place
