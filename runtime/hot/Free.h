//===- Free.h - Counting the end of a block -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by Hooks.cpp right before the memory is freed.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_FREE_H
#define INMEM_RUNTIME_FREE_H

#include "allocator/Allocator.h"
#include "hot/Cells.h"
#include "hot/Lifetimes.h"
#include "hot/Rows.h"
#include "index/LiveIndex.h"
#include "state/Runtime.h"
#include "state/SlowPath.h"

namespace inmem::rt {

/// The slow paths. They keep errno and set the guard. freeSlow frees the
/// memory: hooks tail-call it.
INMEM_SLOW void freedSlow(void *P, Block B);
INMEM_IN_HOOKS __attribute__((noinline)) void freeSlow(void *P, Block B);

/// Re-enters a block that the allocator did not free after all.
INMEM_COLD void restore(void *P, Block B);

/// A small block is one of less than kSizeFollows bytes, and here one whose
/// lifetime is not timed. Most frees are of these.
enum class BlockSize : uint8_t { Any, Small };

/// Counts the end of \p B in its row.
INMEM_INLINE void countFree(ThreadState &T, trace::Row *R, void *P, Block B) {
  bump(R->Frees, 1);
  bump(R->FreedBytes, B.Size);
  if (T.LastAllocated == P) {
    bump(R->Temporary, 1);
    T.LastAllocated = nullptr;
  }
}

/// As above, and in the cells. Cells that fall below their limits by a small
/// block are flushed at the next free of another one (trace::Cell).
/// \param End the time, if it has been read already (clock=exact: all
/// lifetimes have the same weight); or 0
template <BlockSize Size = BlockSize::Any>
INMEM_INLINE void countFree(ThreadState &T, const Slot &S, void *P, Block B,
                            bool OwnsGuard = false, uint64_t End = 0) {
  {
    const Counting Now(T);
    if constexpr (Size == BlockSize::Small) {
      drain(T.Process->Delta, B.Size);
      countFree(T, S.R, P, B);
      drain(S.C->Delta, B.Size);
      return;
    }
    if (lowerLive(T.Process, B.Size))
      liveFell(B.Size, OwnsGuard);
    countFree(T, S.R, P, B);
    subtractLive(S.C, B.Size);
  }
  if (!INMEM_MAYBE(B.timed()))
    return;
  if (End) {
    const Counting Now(T);
    enterLifetime(S.R, lifetimeUntil(T, B, End), 1, B.Size);
  } else
    countLifetime(P, S.R, B);
}

/// The calling thread's slot for the end of \p B, if that may be counted on the
/// fast path; else none.
INMEM_INLINE Slot slotForFree(const ThreadState &T, Block B) {
  // One shift both takes the id out and multiplies it.
  uint64_t Offset = B.Value >> (kSizeBits - kSlotShift) & IndexEntry{kMaxSites}
                                                              << kSlotShift;
  __asm__("" : "+r"(Offset)); // or clang masks twice
  if (INMEM_UNLIKELY(!isBelow(Offset, T.FreeEnd)) || interruptsCount(T))
    return {};
  return slotAt(T, Offset);
}

/// As above, if the thread and the site are set up. \returns whether they are
INMEM_INLINE bool countFree(void *P, Block B, uint64_t End = 0) {
  ThreadState &T = Thread;
  const Slot S = slotForFree(T, B);
  if (INMEM_UNLIKELY(S.R == nullptr))
    return false;
  countFree(T, S, P, B, /*OwnsGuard=*/false, End);
  return true;
}

/// The block \p B, already taken out of the index, is about to be freed.
/// \p End as in countFree.
INMEM_INLINE void freed(void *P, Block B, uint64_t End = 0) {
  if (INMEM_UNLIKELY(!countFree(P, B, End)))
    freedSlow(P, B);
}

/// The block at \p P, if it is one of ours, is about to be freed.
INMEM_INLINE void freed(void *P) {
  Block B = takeBlock(P);
  if (INMEM_LIKELY(static_cast<bool>(B)))
    freed(P, B);
}

/// The rest of freeBlock() when it tail-calls the case that is not usual.
enum class Rest : uint8_t {
  All,         ///< a small block whose lifetime is timed: nothing is counted
  PastProcess, ///< the process's cell is past its limit, the rest not counted
  PastType,    ///< all is counted but the lifetime; the type's cell is past it
  Lifetime,    ///< all is counted but the lifetime, which is timed
  EventLifetime, ///< as above, with clock=events (EventLifetimes.cpp)
};
template <Rest Of> void freeRest(void *P, Block B);
template <>
INMEM_IN_HOOKS __attribute__((noinline)) void freeRest<Rest::All>(void *P,
                                                                  Block B);
template <>
INMEM_COLD INMEM_IN_HOOKS void freeRest<Rest::PastProcess>(void *P, Block B);
template <>
INMEM_COLD INMEM_IN_HOOKS void freeRest<Rest::PastType>(void *P, Block B);
template <>
INMEM_IN_HOOKS __attribute__((noinline)) void freeRest<Rest::Lifetime>(void *P,
                                                                       Block B);
template <> INMEM_IN_HOOKS void freeRest<Rest::EventLifetime>(void *P, Block B);

/// As freed(), and frees the memory. Tail-calls what is rare, so that the usual
/// free has no frame.
template <BlockSize Size = BlockSize::Any>
INMEM_INLINE void freeBlock(void *P, Block B) {
  if constexpr (Size == BlockSize::Small)
    if (INMEM_MAYBE(B.timed()))
      return freeRest<Rest::All>(P, B);
  ThreadState &T = Thread;
  const Slot S = slotForFree(T, B);
  if (INMEM_UNLIKELY(S.R == nullptr))
    return freeSlow(P, B);
  if constexpr (Size == BlockSize::Small) {
    countFree<Size>(T, S, P, B);
  } else {
    bool PastProcess, PastType = false;
    {
      const Counting Now(T);
      PastProcess = lowerLive(T.Process, B.Size);
      if (INMEM_LIKELY(!PastProcess)) {
        countFree(T, S.R, P, B);
        PastType = lowerLive(S.C, B.Size);
      }
    }
    if (INMEM_UNLIKELY(PastProcess))
      return freeRest<Rest::PastProcess>(P, B);
    if (INMEM_UNLIKELY(PastType))
      return freeRest<Rest::PastType>(P, B);
    if (INMEM_MAYBE(B.timed()))
      return freeRest<Rest::Lifetime>(P, B);
  }
  Real.free(P);
}

/// clock=exact, with a hardware clock: it is read before the look into the
/// index, since a processor may wait for loads that are under way before it
/// reads its counter.
INMEM_HIDDEN extern bool ReadsClockFirst;

} // namespace inmem::rt

#endif
