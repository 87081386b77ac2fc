//===- Arena.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arena.h"

#include "Lock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

namespace inmem::place {

constinit uintptr_t RangeBase = 0, RangeBytes = 0;

namespace {

constexpr size_t kSlab = 64 * 1024, kPage = 4096;
constexpr size_t kGranule = 16;  ///< of sizes, and what malloc aligns to
constexpr size_t kMapped = 16;   ///< slabs that are mapped at once
constexpr size_t kLeastWarm = 8; ///< empty slabs that keep their pages
constexpr size_t kClasses = 2;   ///< phase and steady
constexpr unsigned kShards = 16; ///< a power of two
constexpr size_t kMostWindow = size_t{1} << 40;
constexpr size_t kLeastWindow = size_t{16} << 20;
/// Pages that are wanted again this soon were given back in vain.
constexpr uint64_t kSoonNs = 40'000'000;
/// After the last of them, more than kLeastWarm are kept for so long.
constexpr uint64_t kKeepNs = 1'000'000'000;

/// Sizes: each 16 up to 128, then eight to a doubling.
constexpr unsigned kBins = 8 + 8 * 6;

constexpr size_t sizeOfBin(unsigned Bin) {
  if (Bin < 8)
    return (Bin + 1) * kGranule;
  const unsigned Octave = (Bin - 8) / 8, Step = (Bin - 8) % 8;
  return (size_t{128} << Octave) + (Step + 1) * (size_t{16} << Octave);
}
static_assert(sizeOfBin(kBins - 1) == kMostPlaced);

constexpr unsigned binOfSize(size_t Size) {
  if (Size <= 128)
    return Size == 0 ? 0 : static_cast<unsigned>((Size - 1) / kGranule);
  const unsigned Octave =
      static_cast<unsigned>(63 - __builtin_clzll(Size - 1)) - 7;
  return 8 + Octave * 8 +
         static_cast<unsigned>((Size - 1 - (size_t{128} << Octave)) >>
                               (4 + Octave));
}
static_assert(binOfSize(129) == 8 && binOfSize(144) == 8 &&
              binOfSize(145) == 9 && binOfSize(256) == 15 &&
              binOfSize(257) == 16 && binOfSize(kMostPlaced) == kBins - 1);

/// At the start of each slab.
struct Slab {
  Slab *Next, *Prev; ///< in its bin's list of slabs with room, or of empty ones
  uint32_t Reciprocal; ///< offset * this >> 32 is the block's index
  uint32_t Size;
  uint16_t Blocks, Used;
  uint16_t FirstWord; ///< of Taken: those below it are full
  uint8_t Shard, Bin, Class;
  bool HasRoom;       ///< is in its bin's list
  uint64_t EmptiedNs; ///< when all pages but this one went back to the system
  uint64_t Taken[kSlab / kGranule / 64];
};
constexpr size_t kHeader = (sizeof(Slab) + kMostAlign - 1) & ~(kMostAlign - 1);

struct Shard {
  Lock Guard;
  Slab *WithRoom[kClasses][kBins];
  size_t Blocks, Bytes; ///< that are taken
};
constinit Shard Shards[kShards] = {};

/// Slabs that belong to nobody.
struct {
  Lock Guard;
  Slab *Warm, *Cold; ///< empty ones, with their pages and without
  size_t WarmCount, ColdCount;
  size_t Kept;       ///< as many warm ones as may be, beyond kLeastWarm
  uint64_t InVainNs; ///< when pages were last given back in vain
  uintptr_t Fresh;   ///< end of slabs that were used
  bool Tried;
  bool Closed; ///< what follows the range belongs to somebody else
} constinit Supply = {};

constinit unsigned Threads = 0;
__thread unsigned MyShard = 0; ///< one more than its number

[[noreturn]] void die(const char *What) {
  const char *Parts[] = {"inmem: libinmem_place: ", What, "\n"};
  for (const char *Part : Parts)
    if (write(STDERR_FILENO, Part, strlen(Part)) < 0)
      break;
  abort();
}

/// The thread that forks holds all locks, and may allocate in handlers that run
/// after ours.
void lockAll() {
  for (Shard &S : Shards)
    S.Guard.lock();
  Supply.Guard.lock();
  Lock::setForking(true);
}
void unlockAll() {
  Lock::setForking(false);
  Supply.Guard.unlock();
  for (Shard &S : Shards)
    S.Guard.unlock();
}
__attribute__((constructor)) void prepareForFork() {
  pthread_atfork(lockAll, unlockAll, unlockAll);
}

/// Under Supply.Guard. Looks for addresses that nobody uses, and puts the range
/// into their midst: it grows upwards, and other mappings come from either end.
/// Nothing is kept of them, for what a process may map (RLIMIT_AS) is its own,
/// also where it sets that limit later. There may be none.
void chooseRange() {
  Supply.Tried = true;
  for (size_t Window = kMostWindow; Window >= kLeastWindow; Window /= 2) {
    void *Start = mmap(nullptr, Window, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Start == MAP_FAILED)
      continue;
    munmap(Start, Window);
    Supply.Fresh =
        (reinterpret_cast<uintptr_t>(Start) + Window / 2) & ~(kSlab - 1);
    __atomic_store_n(&RangeBase, Supply.Fresh, __ATOMIC_RELAXED);
    return;
  }
}

/// Under Supply.Guard. False if there is no memory, or no room.
bool growRange() {
  const uintptr_t End = RangeBase + RangeBytes;
  constexpr size_t kBytes = kMapped * kSlab;
  if (End == 0 || Supply.Closed)
    return false;
  auto *Wanted = reinterpret_cast<void *>(End);
  void *Got = mmap(Wanted, kBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (Got == MAP_FAILED) {
    Supply.Closed = errno == EEXIST;
    return false;
  }
  if (Got != Wanted) { // kernels before 4.17 take it for a hint
    munmap(Got, kBytes);
    Supply.Closed = true;
    return false;
  }
  __atomic_store_n(&RangeBytes, RangeBytes + kBytes, __ATOMIC_RELAXED);
  return true;
}

char *pagesOf(Slab &S) { return reinterpret_cast<char *>(&S) + kPage; }
constexpr size_t kPagesBytes = kSlab - kPage; ///< all but the header's

uint64_t coarseNs() {
  timespec Now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &Now);
  return static_cast<uint64_t>(Now.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(Now.tv_nsec);
}

Slab *pop(Slab *&List, size_t &Count) {
  Slab *S = List;
  if (S) {
    List = S->Next;
    --Count;
  }
  return S;
}

void push(Slab *&List, size_t &Count, Slab *S) {
  S->Next = List;
  List = S;
  ++Count;
}

/// Under Supply.Guard. Who asks for pages soon after they were given back does
/// so again and again: next time they stay, but no more than a third of all.
void noteInVain(const Slab &S) {
  const uint64_t Now = coarseNs();
  if (Now - S.EmptiedNs >= kSoonNs)
    return;
  Supply.InVainNs = Now;
  if (Supply.Kept < (Supply.Fresh - RangeBase) / kSlab / 3)
    ++Supply.Kept;
}

/// An empty slab; null if there is none.
Slab *takeEmptySlab() {
  Slab *S;
  {
    Locked L(Supply.Guard);
    S = pop(Supply.Warm, Supply.WarmCount);
    if (S)
      return S;
    S = pop(Supply.Cold, Supply.ColdCount);
    if (!S)
      return nullptr;
    noteInVain(*S);
  }
#ifdef MADV_POPULATE_WRITE
  // Who emptied slabs and wants them back fills them: one call to the system
  // is cheaper than a fault for each page. Older ones refuse, and it is faults.
  madvise(pagesOf(*S), kPagesBytes, MADV_POPULATE_WRITE);
#endif
  return S;
}

/// A slab that was not used yet; null if there is none.
Slab *takeFreshSlab() {
  Locked L(Supply.Guard);
  if (!Supply.Tried)
    chooseRange();
  if (Supply.Fresh == RangeBase + RangeBytes && !growRange())
    return nullptr;
  auto *S = reinterpret_cast<Slab *>(Supply.Fresh);
  Supply.Fresh += kSlab;
  return S;
}

/// All pages but the header's go back to the system, if many are empty.
void giveSlab(Slab *S) {
  Locked L(Supply.Guard);
  push(Supply.Warm, Supply.WarmCount, S);
  const uint64_t Now = coarseNs();
  if (Supply.Kept && Now - Supply.InVainNs >= kKeepNs)
    Supply.Kept = 0;
  while (Supply.WarmCount > kLeastWarm + Supply.Kept) {
    Slab *Given = pop(Supply.Warm, Supply.WarmCount);
    madvise(pagesOf(*Given), kPagesBytes, MADV_DONTNEED);
    Given->EmptiedNs = Now;
    push(Supply.Cold, Supply.ColdCount, Given);
  }
}

Slab *&listOf(Shard &Of, const Slab &S) {
  return Of.WithRoom[S.Class - 1][S.Bin];
}

void enlist(Shard &Of, Slab &S) {
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

void prepare(Slab &S, unsigned ShardNumber, unsigned Bin, int Class) {
  const size_t Size = sizeOfBin(Bin);
  S.Size = static_cast<uint32_t>(Size);
  S.Reciprocal = static_cast<uint32_t>(((uint64_t{1} << 32) + Size - 1) / Size);
  S.Blocks = static_cast<uint16_t>((kSlab - kHeader) / Size);
  S.Used = S.FirstWord = 0;
  S.Shard = static_cast<uint8_t>(ShardNumber);
  S.Bin = static_cast<uint8_t>(Bin);
  S.Class = static_cast<uint8_t>(Class);
  const size_t Words = (S.Blocks + size_t{63}) / 64;
  memset(S.Taken, 0, Words * sizeof *S.Taken);
  if (S.Blocks % 64) // there are no blocks behind the last
    S.Taken[Words - 1] = ~uint64_t{0} << S.Blocks % 64;
}

/// The lowest free block of a slab that has one.
void *takeBlock(Slab &S) {
  unsigned Word = S.FirstWord;
  while (~S.Taken[Word] == 0)
    ++Word;
  S.FirstWord = static_cast<uint16_t>(Word);
  const unsigned Bit = static_cast<unsigned>(__builtin_ctzll(~S.Taken[Word]));
  S.Taken[Word] |= uint64_t{1} << Bit;
  ++S.Used;
  return reinterpret_cast<char *>(&S) + kHeader +
         (size_t{Word} * 64 + Bit) * S.Size;
}

Slab *slabOf(const void *Block) {
  return reinterpret_cast<Slab *>(reinterpret_cast<uintptr_t>(Block) &
                                  ~(kSlab - 1));
}

/// The block's index; aborts where no block begins.
unsigned indexOf(const Slab &S, const void *Block) {
  const uintptr_t InSlab = reinterpret_cast<uintptr_t>(Block) & (kSlab - 1);
  const uintptr_t Offset = InSlab - kHeader;
  const auto Index = static_cast<unsigned>(
      (static_cast<uint64_t>(static_cast<uint32_t>(Offset)) * S.Reciprocal) >>
      32);
  if (InSlab < kHeader || Index >= S.Blocks || Index * S.Size != Offset)
    die("free(): invalid pointer");
  return Index;
}

unsigned shardNumber() {
  if (MyShard == 0)
    MyShard = 1 + __atomic_fetch_add(&Threads, 1, __ATOMIC_RELAXED) % kShards;
  return MyShard - 1;
}

} // namespace

void *allocate(int Class, size_t Size, size_t Align) {
  unsigned Bin = binOfSize(Size);
  if (Align > kGranule)
    while (sizeOfBin(Bin) % Align != 0)
      ++Bin;
  const unsigned Number = shardNumber();
  Shard &Mine = Shards[Number];
  Locked L(Mine.Guard);
  Slab *S = Mine.WithRoom[Class - 1][Bin];
  if (!S) {
    const int Errno = errno;
    S = takeEmptySlab();
    if (!S)
      S = takeFreshSlab();
    errno = Errno;
    if (!S)
      return nullptr;
    prepare(*S, Number, Bin, Class);
    enlist(Mine, *S);
  }
  void *Block = takeBlock(*S);
  if (S->Used == S->Blocks)
    unlist(Mine, *S);
  ++Mine.Blocks;
  Mine.Bytes += S->Size;
  return Block;
}

void release(void *Block) {
  Slab &S = *slabOf(Block);
  Shard &Of = Shards[S.Shard];
  Locked L(Of.Guard);
  const unsigned Index = indexOf(S, Block);
  const uint64_t Bit = uint64_t{1} << Index % 64;
  if (!(S.Taken[Index / 64] & Bit))
    die("free(): double free detected");
  S.Taken[Index / 64] &= ~Bit;
  if (Index / 64 < S.FirstWord)
    S.FirstWord = static_cast<uint16_t>(Index / 64);
  --S.Used;
  --Of.Blocks;
  Of.Bytes -= S.Size;
  if (!S.HasRoom)
    enlist(Of, S);
  if (S.Used == 0 && (S.Next || S.Prev)) { // others have room
    unlist(Of, S);
    const int Errno = errno;
    giveSlab(&S);
    errno = Errno;
  }
}

size_t usableSize(const void *Block) { return slabOf(Block)->Size; }
int classOf(const void *Block) { return slabOf(Block)->Class; }

} // namespace inmem::place

__attribute__((visibility("default"))) struct inmem_place_stats
inmem_place_stats(void) {
  using namespace inmem::place;
  struct inmem_place_stats Sum = {};
  for (Shard &S : Shards) {
    Locked L(S.Guard);
    Sum.blocks += S.Blocks;
    Sum.bytes += S.Bytes;
  }
  Locked L(Supply.Guard);
  Sum.page_bytes =
      Supply.Fresh - RangeBase - (Supply.WarmCount + Supply.ColdCount) * kSlab;
  return Sum;
}
