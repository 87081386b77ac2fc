//===- Slab.h - Slabs and their blocks --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slab holds blocks of one lifetime class. A uniform slab is 64 KiB of blocks
// of one size. In a mixed slab blocks of different sizes are runs of granules:
// large slabs (256 KiB, granules of 64 bytes) hold blocks above 1 KiB, so that
// little is lost to rounding. Small ones (64 KiB, 32 bytes) hold the first few
// blocks of each size up to 1 KiB, which would leave a uniform slab nearly
// empty.
//
// Nothing here locks: the caller holds the lock of the slab's shard.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLACE_SLAB_H
#define INMEM_PLACE_SLAB_H

#include "Range.h"

#include <sys/auxv.h>

namespace inmem::place {

constexpr size_t kSlab = 64 * 1024;
constexpr size_t kGranule = 16; ///< malloc's alignment

constexpr size_t kMostUniform = 1024; ///< larger blocks go to large slabs
constexpr size_t kParts = 4, kLargeSlab = kParts * kSlab;

/// A zeroed header, as memory never used has, is a uniform slab without blocks.
enum class SlabKind : uint8_t { Uniform, Small, Large };
constexpr unsigned kMixedKinds = 2;

/// The granules of a kind of mixed slab, and the runs of them that are blocks.
struct RunSizes {
  unsigned Granules; ///< number of granules in a slab
  unsigned Shift;    ///< each is 1 << Shift bytes
  unsigned Shortest, Longest;

  constexpr unsigned granules(size_t Size) const {
    return static_cast<unsigned>((Size + (size_t{1} << Shift) - 1) >> Shift);
  }
};
constexpr RunSizes kRuns[kMixedKinds] = {
    {kSlab >> 5, 5, 1, kMostUniform >> 5},
    {kLargeSlab >> 6, 6, (kMostUniform >> 6) + 1, kMostPlaced >> 6}};
constexpr unsigned mixedIndex(SlabKind Kind) {
  return static_cast<unsigned>(Kind) - 1;
}
constexpr const RunSizes &runsOf(SlabKind Kind) {
  return kRuns[mixedIndex(Kind)];
}
static_assert(size_t{1} << runsOf(SlabKind::Large).Shift >= kMostAlign);

/// Size classes of uniform slabs: multiples of 16 up to 256, then eight per
/// doubling, each the largest size that fits 240, 224, ..., 72 or 64 times into
/// a slab.
constexpr unsigned kFineBins = 16, kBins = kFineBins + 8 * 2;

struct SizeTable {
  uint16_t SizeOf[kBins];
  uint8_t BinOf[kMostUniform / kGranule + 1]; ///< by size in granules
};
constexpr SizeTable kSizes = [] {
  SizeTable Out{};
  unsigned Bin = 0;
  for (; Bin < kFineBins; ++Bin)
    Out.SizeOf[Bin] = static_cast<uint16_t>((Bin + 1) * kGranule);
  for (size_t Step = 16; Bin < kBins; Step /= 2)
    for (size_t Blocks = 15 * Step; Blocks >= 8 * Step; Blocks -= Step)
      Out.SizeOf[Bin++] =
          static_cast<uint16_t>(kSlab / Blocks / kGranule * kGranule);
  Bin = 0;
  for (size_t Granules = 0; Granules <= kMostUniform / kGranule; ++Granules) {
    Bin += Granules * kGranule > Out.SizeOf[Bin];
    Out.BinOf[Granules] = static_cast<uint8_t>(Bin);
  }
  return Out;
}();

constexpr unsigned binOfSize(size_t Size) {
  return kSizes.BinOf[(Size + kGranule - 1) / kGranule];
}
static_assert(binOfSize(0) == 0 && binOfSize(16) == 0 && binOfSize(17) == 1 &&
              binOfSize(256) == 15 && binOfSize(257) == 16 &&
              binOfSize(272) == 16 && binOfSize(273) == 17 &&
              binOfSize(kMostUniform) == kBins - 1 &&
              kSizes.SizeOf[kBins - 1] == kMostUniform);

/// A moment in milliseconds of wall and CPU time; both wrap.
struct Moment {
  uint32_t Wall, Cpu;
};

constexpr unsigned kTakenWords = kSlab / kGranule / 64;

/// A slab's header. It is outside the slab: blocks can fill whole pages, and
/// an empty slab can return all of its pages.
struct alignas(64) Slab {
  Slab *Next, *Prev; ///< in a list of slabs with room, or of empty ones
  char *Start;
  Moment Emptied;      ///< when its pages were last returned; Wall 0: never
  const void *Stock;   ///< quarters in the supply: the warm or the cold stock
  uint32_t Reciprocal; ///< uniform: offset * this >> 32 is the block's index
  uint32_t Size;       ///< uniform: block size
  uint16_t Blocks;     ///< its capacity; in granules if mixed
  uint16_t Used;       ///< the number of Blocks in use
  uint16_t FirstWord;  ///< index into Taken: words below it are full
  /// Mixed: an upper bound on its runs of free granules, at most the longest
  /// run of its kind.
  uint16_t LongestRun;
  uint8_t Shard, Class;
  SlabKind Kind;
  uint8_t Bin;  ///< for its size, or for its longest run
  bool HasRoom; ///< whether it is in a list of its shard
  /// A bit per block, or per granule. Small: the second half marks the first
  /// granule of each block.
  uint64_t Taken[kTakenWords];

  /// The kind, for slabOf(), which may read a slab that another thread is
  /// preparing.
  SlabKind kindNow() const {
    SlabKind Now;
    __atomic_load(&Kind, &Now, __ATOMIC_RELAXED);
    return Now;
  }
  void become(SlabKind New) { __atomic_store(&Kind, &New, __ATOMIC_RELAXED); }

  bool isMixed() const { return Kind != SlabKind::Uniform; }
  const RunSizes &runs() const { return runsOf(Kind); }
  uint64_t *firsts();
  const uint64_t *firsts() const { return const_cast<Slab *>(this)->firsts(); }
};
static_assert(runsOf(SlabKind::Small).Granules <= kTakenWords / 2 * 64 &&
              runsOf(SlabKind::Large).Granules <= kTakenWords * 64);

/// An extent is one large slab or four others.
struct Extent {
  Slab First; ///< the large slab, or the first quarter
  uint64_t LargeFirsts[kTakenWords];
};
static_assert(offsetof(Extent, First) == 0);

inline uint64_t *Slab::firsts() {
  return Kind == SlabKind::Large ? reinterpret_cast<Extent *>(this)->LargeFirsts
                                 : Taken + kTakenWords / 2;
}

/// Headers grow downwards, in reverse order: headers of extents below the
/// range, and far below them headers of other quarters, which large slabs never
/// touch.
extern uintptr_t QuartersEnd;

inline Slab *quarterAt(uintptr_t Base, size_t ExtentNumber, size_t Part) {
  if (Part == 0)
    return &(reinterpret_cast<Extent *>(Base) - ExtentNumber - 1)->First;
  return reinterpret_cast<Slab *>(QuartersEnd) -
         (ExtentNumber * (kParts - 1) + Part);
}
inline Slab *slabOf(const void *Block) {
  const uintptr_t Base = __atomic_load_n(&RangeBase, __ATOMIC_RELAXED);
  const size_t Offset = reinterpret_cast<uintptr_t>(Block) - Base;
  Slab *First = quarterAt(Base, Offset / kLargeSlab, 0);
  const size_t Part = Offset % kLargeSlab / kSlab;
  // Another thread may be changing the first quarter, but not into a large slab
  // while this quarter has a block.
  if (Part == 0 || First->kindNow() == SlabKind::Large)
    return First;
  return quarterAt(Base, Offset / kLargeSlab, Part);
}

/// Writes a line and aborts.
[[noreturn]] void die(const char *What);

void prepareUniform(Slab &S, unsigned Bin);
/// The lowest free block of a slab that has one.
void *takeBlock(Slab &S);
/// Aborts if there is no such block.
void putBack(Slab &S, const void *Block);

void prepareMixed(Slab &S, SlabKind Kind);
/// The lowest free run of that length. If there is none, sets LongestRun to the
/// actual longest run and returns null.
void *takeRun(Slab &S, unsigned Granules);
/// Aborts if there is no such block. \returns its length in granules
unsigned putBackRun(Slab &S, const void *Block);
/// A block's length in granules.
unsigned runLength(const Slab &S, const void *Block);

#if defined(__x86_64__)
constexpr size_t pageSize() { return 4096; }
#else
inline size_t pageSize() { return getauxval(AT_PAGESZ); }
#endif

/// Bytes of the slab's memory.
inline size_t bytesOf(const Slab &S) {
  return S.Kind == SlabKind::Large ? kLargeSlab : kSlab;
}

/// True if a block is on the page of \p Page bytes at \p Offset.
bool isPageUsed(const Slab &S, size_t Offset, size_t Page);

/// Calls \p Do(offset, bytes) with each run of pages without blocks.
template <class Function> void eachIdleRun(const Slab &S, Function Do) {
  const size_t All = bytesOf(S), Page = pageSize();
  for (size_t At = 0; At < All;) {
    size_t End = At;
    while (End < All && !isPageUsed(S, End, Page))
      End += Page;
    if (End > At)
      Do(At, End - At);
    At = End + Page;
  }
}

} // namespace inmem::place

#endif
