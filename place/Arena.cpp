//===- Arena.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arena.h"

#include "Slab.h"
#include "Supply.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

namespace inmem::place {

namespace {

constexpr size_t kClasses = 2;   ///< phase and steady
constexpr unsigned kShards = 16; ///< a power of two
constexpr unsigned kEmpty = 4;   ///< empty slabs that a shard keeps
/// The number of lists of mixed slabs, which LongestRun selects.
constexpr unsigned kRunLists = 8;
/// Blocks of about one size get a uniform slab once small mixed slabs hold this
/// many bytes of them.
constexpr size_t kMostFew = 4096;
constexpr unsigned kFewRuns = runsOf(SlabKind::Small).Longest + 1;

struct Shard {
  Lock Guard;
  Slab *Uniform[kClasses][kBins];
  Slab *Mixed[kClasses][kMixedKinds][kRunLists];
  uint16_t Few[kClasses][kFewRuns]; ///< blocks in small mixed slabs by length
  /// Slabs that are kept when they become empty, for programs that allocate and
  /// free one block repeatedly. Some may be in use again.
  Slab *Empty[kEmpty];
  unsigned NextEmpty;
  size_t Blocks; ///< blocks in use
  /// Total bytes of blocks ever taken, and ever freed. Other threads read them.
  size_t Taken, Freed;
  unsigned Frees; ///< number of frees, for kFreesPerLook
  bool WasQuiet;  ///< a slab was taken after a quiet second
};
constinit Shard Shards[kShards] = {};

/// Needs the shard's lock.
void add(size_t &To, size_t Bytes) {
  __atomic_store_n(&To, To + Bytes, __ATOMIC_RELAXED);
}

/// Sums over all shards.
struct Totals {
  size_t Taken, Freed;
  size_t live() const { return Taken - Freed; }
};
Totals totals() {
  Totals Sum = {};
  for (const Shard &S : Shards) { // read Freed first: it never exceeds Taken
    Sum.Freed += __atomic_load_n(&S.Freed, __ATOMIC_ACQUIRE);
    Sum.Taken += __atomic_load_n(&S.Taken, __ATOMIC_RELAXED);
  }
  return Sum;
}

template <class T> T load(const T &Of) {
  return __atomic_load_n(&Of, __ATOMIC_RELAXED);
}
template <class T> void store(T &To, T Value) {
  __atomic_store_n(&To, Value, __ATOMIC_RELAXED);
}

/// The times at which a slab was last taken and pages were last returned, in
/// coarse milliseconds that wrap. Shared by all threads, without a lock.
constinit uint32_t TakenMs = 0, TrimmedMs = 0;
constinit size_t FreedAtTrim = 0, LiveAtTrim = 0;
/// Shorter pauses are part of the program's normal rhythm.
constexpr int32_t kQuietMs = 1000;
/// Returning less is not worth a search of all slabs.
constexpr size_t kWorthTrimming = size_t{1} << 20;
constexpr unsigned kFreesPerLook = 256; ///< frees per clock check; power of 2

uint32_t coarseMs() {
  timespec Now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &Now);
  return static_cast<uint32_t>(Now.tv_sec) * 1000 +
         static_cast<uint32_t>(Now.tv_nsec / 1'000'000);
}

/// True if \p ThenMs is less than a second before \p NowMs, or after it.
bool isRecent(const uint32_t &ThenMs, uint32_t NowMs) {
  return static_cast<int32_t>(NowMs - load(ThenMs)) < kQuietMs;
}

constinit unsigned Threads = 0;
__thread unsigned MyShard = 0; ///< shard number + 1; 0: not yet chosen

/// The forking thread holds all locks, and may allocate in fork handlers that
/// run after ours.
void lockAll() {
  for (Shard &S : Shards)
    S.Guard.lock();
  TheSupply.Guard.lock();
  Lock::setForking(true);
}
void unlockAll() {
  Lock::setForking(false);
  TheSupply.Guard.unlock();
  for (Shard &S : Shards)
    S.Guard.unlock();
}
__attribute__((constructor)) void prepareAtLatest() { prepareForFork(); }

bool retireEmpty(Shard &Of);

/// Called when a thread ends: its shard's empty slabs become available to other
/// threads.
void leaveShard(void *Number) {
  Shard &Of = Shards[reinterpret_cast<uintptr_t>(Number) - 1];
  Locked L(Of.Guard);
  retireEmpty(Of);
}

pthread_key_t EndOfThread;
constinit bool HasKey = false;
/// Called in the constructor, because pthread_key_create() allocates nothing.
void watchThreads() {
  HasKey = pthread_key_create(&EndOfThread, leaveShard) == 0;
}

unsigned shardNumber() {
  if (MyShard == 0) {
    MyShard = 1 + __atomic_fetch_add(&Threads, 1, __ATOMIC_RELAXED) % kShards;
    // May allocate, but without a class, so it does not recurse into this.
    if (HasKey)
      pthread_setspecific(EndOfThread,
                          reinterpret_cast<void *>(uintptr_t{MyShard}));
  }
  return MyShard - 1;
}

/// The list of slabs with a longest run of that length.
unsigned runListOf(const RunSizes &Runs, unsigned Granules) {
  return (Granules - 1) * kRunLists / Runs.Longest;
}

Slab **mixedLists(Shard &Of, int Class, SlabKind Kind) {
  return Of.Mixed[Class - 1][mixedIndex(Kind)];
}

Slab *&listOf(Shard &Of, const Slab &S) {
  return S.isMixed() ? mixedLists(Of, S.Class, S.Kind)[S.Bin]
                     : Of.Uniform[S.Class - 1][S.Bin];
}

void enlist(Shard &Of, Slab &S) {
  if (S.isMixed())
    S.Bin = static_cast<uint8_t>(runListOf(S.runs(), S.LongestRun));
  Slab *&Head = listOf(Of, S);
  S.Prev = nullptr;
  S.Next = Head;
  if (Head)
    Head->Prev = &S;
  Head = &S;
  S.HasRoom = true;
}

void unlist(Shard &Of, Slab &S) {
  (S.Prev ? S.Prev->Next : listOf(Of, S)) = S.Next;
  if (S.Next)
    S.Next->Prev = S.Prev;
  S.HasRoom = false;
}

/// Moves a mixed slab to the list for its longest run, or to no list if that
/// run is shorter than any block of its kind.
void relist(Shard &Of, Slab &S) {
  const bool HasRoom = S.LongestRun >= S.runs().Shortest && S.Used < S.Blocks;
  if (S.HasRoom && HasRoom && S.Bin == runListOf(S.runs(), S.LongestRun))
    return;
  if (S.HasRoom)
    unlist(Of, S);
  if (HasRoom)
    enlist(Of, S);
}

void retire(Shard &Of, Slab &S) {
  unlist(Of, S);
  TheSupply.give(&S);
}

/// Called when a slab becomes empty. If no other slab of its list has room, it
/// is kept and replaces the slab that was kept longest; otherwise it returns to
/// the supply.
void noteEmpty(Shard &Of, Slab &S) {
  const bool Alone = !S.Next && !S.Prev; // no other slab of its list has room
  for (Slab *&Kept : Of.Empty)
    if (Kept == &S) {
      if (!Alone) {
        Kept = nullptr;
        retire(Of, S);
      }
      return;
    }
  if (!Alone)
    return retire(Of, S);
  Slab *&Place = Of.Empty[Of.NextEmpty++ % kEmpty];
  if (Place && Place->Used == 0)
    retire(Of, *Place);
  Place = &S;
}

/// Returns the kept empty slabs to the supply. \returns whether there were any
bool retireEmpty(Shard &Of) {
  bool Any = false;
  for (Slab *&Kept : Of.Empty) {
    if (Kept && Kept->Used == 0) {
      retire(Of, *Kept);
      Any = true;
    }
    Kept = nullptr;
  }
  return Any;
}

/// Needs the shard's lock. Returns the pages without blocks of a list of slabs
/// to the system. Blocks may be placed on them again at any time.
bool trimList(const Slab *S) {
  bool Any = false;
  for (; S; S = S->Next)
    eachIdleRun(*S, [&](size_t Offset, size_t Bytes) {
      Any |= madvise(S->Start + Offset, Bytes, MADV_DONTNEED) == 0;
    });
  return Any;
}

bool trimShard(Shard &Of) {
  Locked L(Of.Guard);
  bool Any = retireEmpty(Of);
  for (unsigned Class = 0; Class < kClasses; ++Class) {
    for (const Slab *List : Of.Uniform[Class])
      Any |= trimList(List);
    for (const auto &Kind : Of.Mixed[Class])
      for (const Slab *List : Kind)
        Any |= trimList(List);
  }
  return Any;
}

/// A slab for this shard and class that still needs preparing, or null. Returns
/// the shard's empty slabs to the supply before it takes a slab without pages.
Slab *takeSlab(unsigned Number, int Class, SlabKind Kind) {
  const bool Whole = Kind == SlabKind::Large;
  Slab *S = TheSupply.takeWarm(Whole);
  if (!S && retireEmpty(Shards[Number]))
    S = TheSupply.takeWarm(Whole);
  if (!S)
    S = TheSupply.takeCold(Whole);
  if (S) {
    S->Shard = static_cast<uint8_t>(Number);
    S->Class = static_cast<uint8_t>(Class);
    const uint32_t Ms = coarseMs();
    Shards[Number].WasQuiet |= !isRecent(TakenMs, Ms);
    store(TakenMs, Ms);
  }
  return S;
}

void *allocateUniform(unsigned Number, int Class, unsigned Bin) {
  Shard &Mine = Shards[Number];
  Slab *S = Mine.Uniform[Class - 1][Bin];
  if (!S) {
    S = takeSlab(Number, Class, SlabKind::Uniform);
    if (!S)
      return nullptr;
    prepareUniform(*S, Bin);
    enlist(Mine, *S);
  }
  void *Block = takeBlock(*S);
  if (S->Used == S->Blocks)
    unlist(Mine, *S);
  add(Mine.Taken, S->Size);
  return Block;
}

/// Takes a run from the slabs with the shortest runs that are long enough. A
/// slab that turns out to have no such run moves to another list.
void *takeFromLists(Slab **Lists, Shard &Mine, const RunSizes &Runs,
                    unsigned Granules) {
  for (unsigned List = runListOf(Runs, Granules); List < kRunLists; ++List) {
    unsigned Left = 8; // bounds the search
    for (Slab *S = Lists[List], *Next; S && Left > 0; S = Next, --Left) {
      Next = S->Next;
      if (S->LongestRun < Granules)
        continue;
      void *Block = takeRun(*S, Granules);
      relist(Mine, *S);
      if (Block)
        return Block;
    }
  }
  return nullptr;
}

void *allocateMixed(unsigned Number, int Class, SlabKind Kind,
                    unsigned Granules) {
  Shard &Mine = Shards[Number];
  const RunSizes &Runs = runsOf(Kind);
  void *Block =
      takeFromLists(mixedLists(Mine, Class, Kind), Mine, Runs, Granules);
  if (!Block) {
    Slab *S = takeSlab(Number, Class, Kind);
    if (!S)
      return nullptr;
    prepareMixed(*S, Kind);
    enlist(Mine, *S);
    Block = takeRun(*S, Granules);
  }
  add(Mine.Taken, size_t{Granules} << Runs.Shift);
  return Block;
}

/// A block of at most kMostUniform bytes.
void *allocateSmall(unsigned Number, int Class, size_t Size, size_t Align) {
  unsigned Bin = binOfSize(Size);
  if (Align > kGranule)
    while (kSizes.SizeOf[Bin] % Align != 0)
      ++Bin;
  constexpr const RunSizes &Runs = runsOf(SlabKind::Small);
  Shard &Mine = Shards[Number];
  const Slab *Own = Mine.Uniform[Class - 1][Bin];
  if ((!Own || size_t{Own->Used} * Own->Size < kMostFew) &&
      Align <= size_t{1} << Runs.Shift) {
    const unsigned Granules = Runs.granules(kSizes.SizeOf[Bin]);
    uint16_t &Few = Mine.Few[Class - 1][Granules];
    if (((Few + size_t{1}) * Granules) << Runs.Shift <= kMostFew) {
      void *Block = allocateMixed(Number, Class, SlabKind::Small, Granules);
      Few = static_cast<uint16_t>(Few + (Block != nullptr));
      return Block;
    }
  }
  return allocateUniform(Number, Class, Bin);
}

} // namespace

void prepareForFork() {
  static constinit bool Prepared = false;
  if (!Prepared) {
    pthread_atfork(lockAll, unlockAll, unlockAll);
    watchThreads();
  }
  Prepared = true;
}

/// Called once pages have been idle for a second; trims if that is worth it.
/// \returns whether pages were returned
static bool trimIfWorth(uint32_t Ms) {
  const Totals Now = totals();
  if (isRecent(TrimmedMs, Ms)) {
    // A phase is ending: trims again whenever live bytes have fallen by an
    // eighth, so that the last frees find little to return. If they rise again,
    // nothing is trimmed.
    const size_t Live = load(LiveAtTrim);
    if (Now.live() + larger(kWorthTrimming, Live / 8) > Live)
      return false;
  } else if (Now.Freed - load(FreedAtTrim) < kWorthTrimming) {
    return false;
  }
  store(TrimmedMs, Ms);
  return trim();
}

void *allocate(int Class, size_t Size, size_t Align) {
  const unsigned Number = shardNumber();
  Shard &Mine = Shards[Number];
  void *Block;
  bool WasQuiet;
  {
    Locked L(Mine.Guard);
    Block = Size <= kMostUniform
                ? allocateSmall(Number, Class, Size, Align)
                : allocateMixed(Number, Class, SlabKind::Large,
                                runsOf(SlabKind::Large).granules(Size));
    Mine.Blocks += Block != nullptr;
    WasQuiet = Mine.WasQuiet;
    Mine.WasQuiet = false;
  }
  if (__builtin_expect(WasQuiet, false))
    trimIfWorth(coarseMs());
  return Block;
}

/// Frees a block. Needs the shard's lock. \returns the block's bytes
static size_t releaseFrom(Shard &Of, Slab &S, const void *Block) {
  if (!S.isMixed()) {
    putBack(S, Block);
    if (!S.HasRoom)
      enlist(Of, S);
    return S.Size;
  }
  const unsigned Granules = putBackRun(S, Block);
  if (S.Kind == SlabKind::Small)
    --Of.Few[S.Class - 1][Granules];
  relist(Of, S);
  return size_t{Granules} << S.runs().Shift;
}

void release(void *Block) {
  Slab &S = *slabOf(Block);
  Shard &Of = Shards[S.Shard];
  bool Look;
  {
    Locked L(Of.Guard);
    add(Of.Freed, releaseFrom(Of, S, Block));
    --Of.Blocks;
    Look = ++Of.Frees % kFreesPerLook == 0;
    if (S.Used == 0)
      noteEmpty(Of, S);
  }
  if (Look)
    trimIfQuiet(coarseMs());
}

bool trimIfQuiet(uint32_t Ms) {
  return !isRecent(TakenMs, Ms) && trimIfWorth(Ms);
}

bool trim() {
  const int Errno = errno;
  const Totals Now = totals();
  store(FreedAtTrim, Now.Freed);
  store(LiveAtTrim, Now.live());
  bool Any = false;
  for (Shard &S : Shards)
    Any |= trimShard(S);
  Any |= TheSupply.trim();
  errno = Errno;
  return Any;
}

size_t usableSize(const void *Block) {
  const Slab &S = *slabOf(Block);
  if (!S.isMixed())
    return S.Size;
  Locked L(Shards[S.Shard].Guard);
  return size_t{runLength(S, Block)} << S.runs().Shift;
}

int classOf(const void *Block) { return slabOf(Block)->Class; }

} // namespace inmem::place

__attribute__((visibility("default"))) struct inmem_place_stats
inmem_place_stats(void) {
  using namespace inmem::place;
  struct inmem_place_stats Sum = {};
  for (Shard &S : Shards) {
    Locked L(S.Guard);
    Sum.blocks += S.Blocks;
    Sum.bytes += S.Taken - S.Freed;
  }
  Sum.page_bytes = TheSupply.bytesTaken();
  return Sum;
}
