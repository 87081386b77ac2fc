//===- GlibcHeaps.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/GlibcHeaps.h"

#include "heap/HeapSort.h"
#include "index/LiveIndex.h"
#include "platform/Image.h"

namespace inmem::rt {

using heap::ChunkState;

namespace {

// struct malloc_state, since 2.27.
constexpr uintptr_t kFastAt = 16, kTopAt = 96, kBinsAt = 112, kNextAt = 2160,
                    kStateBytes = 2200;
constexpr unsigned kFastBins = 10;
// struct malloc_chunk.
constexpr uint64_t kSizeMask = ~uint64_t{7}, kPreviousInUse = 1;
constexpr uint64_t kLeastChunk = 32, kMostChunk = uint64_t{1} << 46;
/// Heaps of other arenas are aligned to their largest size.
constexpr uintptr_t kHeapBytes = 64 << 20;
constexpr uint64_t kFences = 32;
constexpr unsigned kFirstMinor = 28, kLastMinor = 41;

struct CacheLayout {
  unsigned CountBytes;
  uint64_t Chunk; ///< chunk size
};
constexpr unsigned kCacheBins = 64;

/// struct tcache_perthread_struct.
CacheLayout cacheLayout(unsigned Minor) {
  return Minor < 30 ? CacheLayout{1, 0x250} : CacheLayout{2, 0x290};
}

} // namespace

bool GlibcHeaps::readVersion(const char *Version) {
  if (!Version || strncmp(Version, "2.", 2) != 0)
    return false;
  Minor = 0;
  for (const char *At = Version + 2; *At >= '0' && *At <= '9'; ++At)
    Minor = Minor * 10 + static_cast<unsigned>(*At - '0');
  return Minor >= kFirstMinor && Minor <= kLastMinor;
}

/// True if the unsorted list of \p Arena is consistent. Other data hardly ever
/// looks like one.
bool GlibcHeaps::isArena(uintptr_t Arena) {
  const uintptr_t Bin = Arena + kBinsAt - 16;
  uint64_t First = 0, Last = 0, Back = 0, Forward = 0;
  return M.word(Bin + 16, First) && M.word(Bin + 24, Last) &&
         M.word(First + 24, Back) && M.word(Last + 16, Forward) &&
         Back == Bin && Forward == Bin;
}

/// True if \p Block is that of the chunk at \p At. The index knows a block by
/// its granule, in which no other one begins, and may have guessed where.
static bool isOfChunk(uintptr_t Block, uintptr_t At) {
  return Block >> kGranuleShift == (At + 16) >> kGranuleShift;
}

/// The end of the data of the loaded file that contains \p Address.
static uintptr_t endOfData(uintptr_t Address) {
  Image File;
  return Image::isFoundWithoutLock() && Image::around(Address, File)
             ? File.span().End
             : UINTPTR_MAX;
}

/// The arena among the data of the C library (or the program that has it) with
/// its top in the main heap.
uintptr_t GlibcHeaps::findMainArena(uintptr_t Begin, uintptr_t End,
                                    uintptr_t InLibc) {
  const Mappings &Maps = M.mappings();
  const Mapping *Of = Maps.find(InLibc);
  const uint64_t File = Of ? Of->File : 0;
  bool IsOf = false;
  uintptr_t Before = 0;
  const uintptr_t DataEnd = endOfData(InLibc);
  for (size_t I = 0; File && I < Maps.size(); ++I) {
    const Mapping &In = Maps[I];
    // Zero-initialised data follows the file's in a mapping of its own.
    IsOf = In.IsFile ? In.File == File : IsOf && In.Start == Before;
    Before = In.End;
    if (!IsOf || !In.Readable || !In.Writable || In.IsHeap || In.IsStack)
      continue;
    // Unrelated memory may follow, possibly gigabytes.
    const uintptr_t To = In.IsFile || In.End < DataEnd ? In.End : DataEnd;
    if (const uintptr_t Arena = findArenaIn(In.Start, To, Begin, End))
      return Arena;
  }
  return 0;
}

uintptr_t GlibcHeaps::findArenaIn(uintptr_t From, uintptr_t To, uintptr_t Begin,
                                  uintptr_t End) {
  for (uintptr_t At = From + kTopAt; At + 8 <= To; At += 8) {
    const uintptr_t Top = word(At);
    if (Top >= Begin && Top < End && isArena(At - kTopAt))
      return At - kTopAt;
  }
  return 0;
}

/// An arena's heaps form a list, from the one with the top chunk back to the
/// first, which contains the arena itself.
void GlibcHeaps::addHeapsOf(uintptr_t Arena, uint32_t Number) {
  constexpr unsigned kMostHeaps = 1 << 16;
  const uintptr_t InfoBytes = Minor >= 35 ? 48 : 32;
  const uintptr_t Top = word(Arena + kTopAt);
  uintptr_t Heap = Top & ~(kHeapBytes - 1);
  for (unsigned I = 0; Heap && I < kMostHeaps; ++I) {
    const uint64_t Bytes = word(Heap + 16);
    if (word(Heap) != Arena || Bytes > kHeapBytes || Bytes < 4096)
      return;
    uintptr_t First = Heap + InfoBytes;
    if (First == Arena)
      First = ((Arena + kStateBytes + 16 + 15) & ~uintptr_t{15}) - 16;
    Heaps.add({Heap, Heap + Bytes, First,
               Top - Heap < Bytes ? Top : uintptr_t{0}, Number});
    Heap = word(Heap + 8);
  }
}

bool GlibcHeaps::find(const char *Version, uintptr_t InLibc) {
  if (!readVersion(Version))
    return false;
  const Mappings &Maps = M.mappings();
  uintptr_t Begin = 0, End = 0;
  for (size_t I = 0; I < Maps.size(); ++I)
    if (Maps[I].IsHeap && (!Begin || Maps[I].Start == End)) {
      Begin = Begin ? Begin : Maps[I].Start;
      End = Maps[I].End;
    }
  const uintptr_t Main = findMainArena(Begin, End, InLibc);
  if (!Main)
    return false;
  Heaps.add({Begin, End, Begin, word(Main + kTopAt), 0});
  Arenas.add(Main);
  constexpr size_t kMostArenas = 1 << 16;
  for (uintptr_t Next = word(Main + kNextAt);
       Next && Next != Main && Arenas.size() < kMostArenas && isArena(Next);
       Next = word(Next + kNextAt)) {
    addHeapsOf(Next, static_cast<uint32_t>(Arenas.size()));
    Arenas.add(Next);
  }
  sortInPlace(Heaps.data(), Heaps.size(),
              [](const Heap &A, const Heap &B) { return A.Begin < B.Begin; });
  return true;
}

bool GlibcHeaps::isIdle() {
  for (const uintptr_t Arena : Arenas)
    if (static_cast<uint32_t>(word(Arena))) // the arena's mutex
      return false;
  return true;
}

void GlibcHeaps::addFree(uintptr_t At, uint64_t Bytes, ChunkState State) {
  if (Bytes)
    Chunks.add({At, Bytes, State});
}

/// If the program has called sbrk itself, two fences end a piece of the main
/// heap. \returns the first chunk with a block after them, or the top; 0 if the
/// heap ends here
uintptr_t GlibcHeaps::nextPiece(const Heap &H, uintptr_t Fence,
                                const KnownBlocks &Blocks, size_t Block) {
  const uintptr_t After = Fence + kFences;
  for (; Block < Blocks.Count && Blocks[Block] < H.End; ++Block) {
    const uintptr_t At = Blocks[Block] - 16;
    const uint64_t Bytes = At >= After ? word(At + 8) & kSizeMask : 0;
    if (At % 16 == 0 && Bytes >= kLeastChunk && Bytes <= H.End - At)
      return At;
  }
  return H.Top > Fence ? H.Top : 0;
}

/// \p Block: the index of the first block that is not before \p H.
void GlibcHeaps::walkHeap(const Heap &H, const KnownBlocks &Blocks,
                          size_t Block) {
  if (H.FirstChunk > H.Begin)
    addFree(H.Begin, H.FirstChunk - H.Begin, ChunkState::Header);
  for (uintptr_t At = H.FirstChunk; At + 16 <= H.End;) {
    const uint64_t Bytes = word(At + 8) & kSizeMask;
    if (At == H.Top) {
      // The program's own sbrk got the memory after the end of the main heap.
      const bool IsPart = H.Arena == 0 && Bytes && Bytes < H.End - At;
      if (IsPart)
        Gaps.add({At + Bytes, H.End});
      addFree(At, IsPart ? Bytes : H.End - At, ChunkState::Top);
      return;
    }
    if (Bytes < kLeastChunk) { // a fencepost
      const uintptr_t Next = H.Arena == 0 ? nextPiece(H, At, Blocks, Block) : 0;
      if (!Next) {
        addFree(At, H.End - At, ChunkState::Header);
        return;
      }
      addFree(At, kFences, ChunkState::Header);
      Gaps.add({At + kFences, Next});
      At = Next;
      continue;
    }
    if (Bytes > kMostChunk || Bytes > H.End - At)
      return; // unexpected layout
    const uintptr_t Next = At + Bytes;
    while (Block < Blocks.Count && Blocks[Block] < At + 8 &&
           !isOfChunk(Blocks[Block], At))
      ++Block;
    if (Block < Blocks.Count && isOfChunk(Blocks[Block], At)) {
      if (Blocks[Block] != At + 16)
        Misplaced.add({Block, At + 16});
    } else if (Block < Blocks.Count && Blocks[Block] < Next + 8 &&
               !isOfChunk(Blocks[Block], Next)) {
      // A record's.
    } else if (Next + 16 <= H.End && !(word(Next + 8) & kPreviousInUse)) {
      addFree(At, Bytes, ChunkState::Free);
    } else {
      InUse.add({At, Bytes, ChunkState::Unrecorded});
    }
    At = Next;
  }
}

void GlibcHeaps::walk(const KnownBlocks &Blocks) {
  for (const Heap &H : Heaps) {
    size_t Low = 0, High = Blocks.Count;
    while (Low < High) {
      const size_t Middle = (Low + High) / 2;
      if (Blocks[Middle] < H.Begin)
        Low = Middle + 1;
      else
        High = Middle;
    }
    walkHeap(H, Blocks, Low);
  }
  noteCaches();
  noteFastChunks();
  resolveUnrecorded();
}

/// Since glibc 2.32, the pointers of singly linked lists are mangled with their
/// address.
uintptr_t GlibcHeaps::demangled(uintptr_t At) {
  const uintptr_t Value = word(At);
  return Minor >= 32 ? Value ^ At >> 12 : Value;
}

/// Checks a thread's cache, or notes its chunks.
bool GlibcHeaps::readCache(uintptr_t At, bool Note) {
  const unsigned CountBytes = cacheLayout(Minor).CountBytes;
  constexpr uint64_t kMostOfBin = 65535;
  for (unsigned Bin = 0; Bin < kCacheBins; ++Bin) {
    uint64_t Count = 0;
    if (!M.read(&Count, At + Bin * CountBytes, CountBytes))
      return false;
    uintptr_t Entry = word(At + kCacheBins * CountBytes + Bin * 8);
    if (Count > kMostOfBin || (Count == 0) != (Entry == 0))
      return false;
    for (uint64_t I = 0; I < Count; ++I) {
      if (!Entry || Entry % 16 ||
          (word(Entry - 8) & kSizeMask) != 32 + Bin * uint64_t{16})
        return false;
      if (Note)
        Caches.add({Entry - 16, ChunkState::Cached});
      Entry = demangled(Entry);
    }
    if (Entry && Count)
      return false;
  }
  return true;
}

/// Finds the thread caches: each thread has one, in a chunk that no record
/// names.
void GlibcHeaps::noteCaches() {
  const uint64_t Wanted = cacheLayout(Minor).Chunk;
  for (Chunk &C : InUse)
    if (C.Bytes == Wanted && readCache(C.At + 16, false)) {
      readCache(C.At + 16, true);
      C.State = ChunkState::Header;
    }
}

void GlibcHeaps::noteFastChunks() {
  for (const uintptr_t Arena : Arenas)
    for (unsigned Bin = 0; Bin < kFastBins; ++Bin) {
      uintptr_t Chunk = word(Arena + kFastAt + Bin * 8);
      for (size_t Steps = 0; Chunk && Chunk % 16 == 0 && Steps < InUse.size();
           ++Steps) {
        Caches.add({Chunk, ChunkState::Fast});
        Chunk = demangled(Chunk + 16);
      }
    }
}

/// Adds the chunks in use that have no record, with their kind, to the other
/// chunks.
void GlibcHeaps::resolveUnrecorded() {
  sortInPlace(Caches.data(), Caches.size(),
              [](const Cached &A, const Cached &B) { return A.At < B.At; });
  size_t I = 0;
  for (Chunk &C : InUse) {
    while (I < Caches.size() && Caches[I].At < C.At)
      ++I;
    if (I < Caches.size() && Caches[I].At == C.At)
      C.State = Caches[I].State;
  }
  // Both lists are in order.
  size_t Left = Chunks.size(), Right = InUse.size();
  if (!Chunks.extend(Right))
    return;
  for (size_t To = Left + Right; Right; --To) {
    const bool IsLeft = Left && Chunks[Left - 1].At > InUse[Right - 1].At;
    Chunks[To - 1] = IsLeft ? Chunks[--Left] : InUse[--Right];
  }
}

} // namespace inmem::rt
