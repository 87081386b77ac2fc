//===- GlibcHeaps.h - The chunks of glibc's malloc --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the heaps of glibc's malloc as laid out since version 2.28: the main
// one, which brk() extends, and the heaps of its other arenas. The layout is
// not a public interface, so only known versions are walked, and each structure
// is validated before it is used. Runs in a snapshot's child.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_GLIBCHEAPS_H
#define INMEM_RUNTIME_GLIBCHEAPS_H

#include "graph/ObjectMemory.h"
#include "heap/BlockTable.h"
#include "trace/format/HeapFormat.h"

namespace inmem::rt {

class GlibcHeaps {
public:
  struct Heap {
    uintptr_t Begin, End;
    uintptr_t FirstChunk, Top; ///< Top: 0 if the arena's top is elsewhere
    uint32_t Arena;            ///< 0: the main arena
  };
  struct Chunk {
    uintptr_t At;
    uint64_t Bytes;
    heap::ChunkState State;
  };

  explicit GlibcHeaps(Memory &M) : M(M) {}

  /// Finds the heaps. \p InLibc: an address in the C library, or in the program
  /// if that is linked statically. \returns whether \p Version is known and the
  /// main arena was found
  bool find(const char *Version, uintptr_t InLibc);
  /// Walks all heaps: lists the chunks without any of \p Blocks.
  void walk(const KnownBlocks &Blocks);

  /// True if no thread was inside any arena when the process forked.
  bool isIdle();

  Pages<Heap> Heaps;
  Pages<AddressRange>
      Gaps;            ///< in the main heap: the program's own sbrk() calls
  Pages<Chunk> Chunks; ///< in order of addresses
  /// A block that begins elsewhere in its granule than was guessed.
  struct Misplacement {
    size_t Block;
    uintptr_t Begin;
  };
  Pages<Misplacement> Misplaced;

private:
  bool readVersion(const char *Version);
  uintptr_t findMainArena(uintptr_t Begin, uintptr_t End, uintptr_t InLibc);
  uintptr_t findArenaIn(uintptr_t From, uintptr_t To, uintptr_t Begin,
                        uintptr_t End);
  bool isArena(uintptr_t Arena);
  void addHeapsOf(uintptr_t Arena, uint32_t Number);
  void walkHeap(const Heap &H, const KnownBlocks &Blocks, size_t Next);
  uintptr_t nextPiece(const Heap &H, uintptr_t Fence, const KnownBlocks &Blocks,
                      size_t Block);
  void addFree(uintptr_t At, uint64_t Bytes, heap::ChunkState State);
  void noteCaches();
  bool readCache(uintptr_t At, bool Note);
  void noteFastChunks();
  void resolveUnrecorded();
  uintptr_t demangled(uintptr_t At);
  uint64_t word(uintptr_t At) { return M.wordOr0(At); }

  Memory &M;
  unsigned Minor = 0; ///< glibc version 2.Minor
  Pages<uintptr_t> Arenas;
  Pages<Chunk> InUse; ///< unrecorded chunks in use
  struct Cached {
    uintptr_t At;
    heap::ChunkState State;
  };
  Pages<Cached> Caches;
};

} // namespace inmem::rt

#endif
