//===- BlockAt.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graph/BlockAt.h"

#include "allocator/Allocator.h"
#include "platform/HardwareClock.h"
#include "state/Runtime.h"

namespace inmem::rt {

namespace {

constexpr uintptr_t kGranule = uintptr_t{1} << kGranuleShift;

/// True if a glibc chunk that is in use and has room for \p Size bytes begins
/// in front of \p Begin (malloc.c, "Chunk structure").
bool isChunk(Memory &M, uintptr_t Begin, uint64_t Size) {
  constexpr uint64_t kFlags = 7, kMapped = 2, kInUse = 1, kHeader = 8;
  uint64_t Head;
  if (!M.word(Begin - kHeader, Head))
    return false;
  const uint64_t Chunk = Head & ~kFlags;
  if (Head & kMapped) {
    uint64_t Before = M.wordOr0(Begin - 2 * kHeader);
    return Chunk >= Size + 2 * kHeader && (Chunk + Before) % kPage == 0 &&
           Before < Chunk + kPage;
  }
  uint64_t Least = roundUp(Size + kHeader, 16);
  if (Least < 32)
    Least = 32;
  // Remainders smaller than a chunk stay with the block.
  if (Chunk != Least && Chunk != Least + 16)
    return false;
  return M.wordOr0(Begin + Chunk - kHeader) & kInUse;
}

IndexEntry load(uintptr_t Address) {
  IndexEntry *E = entryOf(Address);
  return E ? __atomic_load_n(E, __ATOMIC_RELAXED) : 0;
}

} // namespace

uintptr_t beginOf(Memory &M, uintptr_t Granule, uint64_t Size, uintptr_t Hint) {
  const uintptr_t Second = Granule + kGranule / 2;
  if (Real.LeastRequest == 0 && !Real.Packs) {
    const bool IsFirst = isChunk(M, Granule, Size);
    const bool IsSecond = isChunk(M, Second, Size);
    if (IsFirst != IsSecond)
      return IsFirst ? Granule : Second;
  }
  return Hint == Second ? Second : Granule;
}

namespace {

constexpr uintptr_t kSpan = uintptr_t{1} << kSpanShift;
/// Entries that are searched before known gaps are consulted again.
constexpr uintptr_t kAtOnce = 512;

/// Counts the empty entries at the end of the \p Count entries up to \p Last.
uintptr_t countEmpty(const IndexEntry *Last, uintptr_t Count) {
  const auto Load = [Last](uintptr_t Back) {
    return __atomic_load_n(Last - Back, __ATOMIC_RELAXED);
  };
  uintptr_t Empty = 0;
  while (Count - Empty >= 4 &&
         !(Load(Empty) | Load(Empty + 1) | Load(Empty + 2) | Load(Empty + 3)))
    Empty += 4;
  while (Empty < Count && !Load(Empty))
    ++Empty;
  return Empty;
}

/// The last granule from \p Address down to \p Least that has an entry; 0:
/// none.
uintptr_t lastInUse(SearchedGaps &Gaps, uintptr_t Address, uintptr_t Least) {
  const uintptr_t Top = Address & ~(kGranule - 1);
  for (uintptr_t End = Top + kGranule; End >= Least + kGranule;) {
    const uintptr_t At = End - kGranule, Start = At & ~(kSpan - 1);
    const IndexEntry *E = entryOf(At);
    if (!E) {
      End = Start;
      // A block may begin in the preceding span only if that has an index.
      if (Start >= kSpan && entryOf(Start - 1))
        continue;
      Gaps.note(End, Top + kGranule);
      return 0;
    }
    const uintptr_t Low = Start > Least ? Start : Least;
    uintptr_t Count = (At - Low) / kGranule + 1;
    Count = Count < kAtOnce ? Count : kAtOnce;
    const uintptr_t Empty = countEmpty(E, Count);
    End -= Empty * kGranule;
    if (Empty < Count) {
      Gaps.note(End, Top + kGranule);
      return End - kGranule;
    }
    const uintptr_t Below = End - kGranule, Lowest = Gaps.lowest(Below);
    End = Lowest < Below ? Lowest : End;
  }
  Gaps.note(Least, Top + kGranule);
  return 0;
}

/// The granule of the last entry at or before \p Address and not before \p
/// Least; 0: none. \p Found: that entry, with the size.
uintptr_t lastEntry(Memory &M, uintptr_t Address, uintptr_t Least,
                    Block &Found) {
  const uintptr_t At = lastInUse(M.Gaps, Address, Least);
  const IndexEntry Here = At ? load(At) : 0;
  if (!Here) // or its entry was just removed
    return 0;
  // A large block's size may look like an entry; its entry is the one before.
  IndexEntry Before = load(At - kGranule);
  if (Before && sizeIn(Before) == kSizeFollows) {
    Found = {Before, Here};
    return At - kGranule;
  }
  uint64_t Size = sizeIn(Here);
  if (Size == kSizeFollows)
    Size = __atomic_load_n(entryOf(At) + 1, __ATOMIC_RELAXED);
  Found = {Here, Size};
  return At;
}

} // namespace

uintptr_t previousBlock(Memory &M, uintptr_t Address, uintptr_t Least) {
  Block B;
  return Address >> kAddressBits ? 0 : lastEntry(M, Address, Least, B);
}

bool findBlock(Memory &M, uintptr_t Address, LiveBlock &Found) {
  // A block cannot span more than the gap between two entries; this bounds the
  // search for the one before.
  constexpr uintptr_t kFurthest = uintptr_t{1} << 30;
  if (Address >> kAddressBits || Address < kPage)
    return false;
  if (__atomic_load_n(&ForeignBlockCount, __ATOMIC_RELAXED)) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    if (Block B = peekForeign(reinterpret_cast<void *>(Address))) {
      Found = {Address, B.Size, B.site(), B.birth()};
      return true;
    }
  }
  Block B;
  const uintptr_t Granule = lastEntry(
      M, Address, Address > kFurthest ? Address - kFurthest : kGranule, B);
  if (!Granule || Address >= Granule + kGranule / 2 + B.Size)
    return false;
  Found = {beginOf(M, Granule, B.Size, Address), B.Size, B.site(), B.birth()};
  return Found.contains(Address) && Found.Site != 0;
}

int64_t ageOf(uint64_t Birth) {
  if (Birth == 0 || Process.State != InitState::Ready)
    return -1;
  const trace::FileHeader &H = *Process.Trace.header();
  const uint64_t PerSecond =
      __atomic_load_n(&H.TicksPerSecond, __ATOMIC_RELAXED);
  if (H.Clock == trace::ClockKind::Events || PerSecond == 0)
    return -1;
  const uint64_t Now =
      (Process.HardwareClock ? hardwareTicks() : monotonicNs()) >> H.TickShift;
  const uint64_t Lifetime = lifetimeSince(Birth, Now & kBirthMask);
  return static_cast<int64_t>(static_cast<double>(Lifetime << H.TickShift) *
                              1e9 / static_cast<double>(PerSecond));
}

} // namespace inmem::rt
