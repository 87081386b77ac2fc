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

/// The slow paths keep errno and set the guard. freeSlow also frees the memory,
/// so that hooks can tail-call it.
INMEM_SLOW void recordFreeSlow(void *P, Block B);
INMEM_IN_HOOKS __attribute__((noinline)) void freeSlow(void *P, Block B);

/// Re-enters a block that the allocator did not free after all.
INMEM_COLD void restore(void *P, Block B);

/// Counts the end of \p B in its row.
INMEM_INLINE void countFreeInRow(ThreadState &T, trace::Row *R, void *P,
                                 Block B) {
  bump(R->Frees, 1);
  bump(R->FreedBytes, B.Size);
  if (T.Fast.LastAllocated == P) {
    bump(R->Temporary, 1);
    T.Fast.LastAllocated = nullptr;
  }
}

/// Counts the end of a small block, of less than kSizeFollows bytes, in its row
/// and in the cells. Most freed blocks are small, so this case compares no
/// limit: a cell that falls below its limit is flushed at the next free of a
/// larger block (trace::Cell).
INMEM_INLINE void countSmallFree(ThreadState &T, const Slot &S, void *P,
                                 Block B) {
  const Counting Now(T);
  drain(T.Process->Delta, B.Size);
  countFreeInRow(T, S.R, P, B);
  drain(S.C->Delta, B.Size);
}

/// Counts the end of a block in its row and in the cells, and its lifetime if
/// it is timed.
/// \param End the time, if it has been read already (clock=exact: all lifetimes
/// have the same weight); or 0
INMEM_INLINE void countFree(ThreadState &T, const Slot &S, void *P, Block B,
                            bool OwnsGuard = false, uint64_t End = 0) {
  {
    const Counting Now(T);
    if (lowerLive(T.Process, B.Size))
      liveFell(B.Size, OwnsGuard);
    countFreeInRow(T, S.R, P, B);
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

/// The calling thread's slot for the end of \p B if the fast path may count it,
/// else an empty one.
INMEM_INLINE Slot slotForFree(const ThreadState &T, Block B) {
  // One shift extracts the id and multiplies it by the size of a slot.
  uint64_t Offset = B.Value >> (kSizeBits - kSlotShift) & IndexEntry{kMaxSites}
                                                              << kSlotShift;
  hideOrigin(Offset); // or clang masks twice
  if (INMEM_UNLIKELY(!isBelow(Offset, T.Fast.FreeEnd)) || interruptsCount(T))
    return {};
  return slotAt(T, Offset);
}

/// Counts as countFree() and returns true if the thread and the site are set
/// up.
INMEM_INLINE bool countFreeIfSetUp(void *P, Block B, uint64_t End = 0) {
  ThreadState &T = Thread;
  const Slot S = slotForFree(T, B);
  if (INMEM_UNLIKELY(S.R == nullptr))
    return false;
  countFree(T, S, P, B, /*OwnsGuard=*/false, End);
  return true;
}

/// The block \p B, already taken out of the index, is about to be freed.
/// \p End as in countFree.
INMEM_INLINE void recordFree(void *P, Block B, uint64_t End = 0) {
  if (INMEM_UNLIKELY(!countFreeIfSetUp(P, B, End)))
    recordFreeSlow(P, B);
}

/// The block at \p P, if it is one of ours, is about to be freed.
INMEM_INLINE void recordFreeAt(void *P) {
  Block B = takeBlock(P);
  if (INMEM_LIKELY(static_cast<bool>(B)))
    recordFree(P, B);
}

// Cases that freeSmall() and freeAny() tail-call, so that the usual free has no
// frame, in the order in which they are reached. Each frees the memory.

/// A small block whose lifetime is timed: nothing is counted yet.
INMEM_IN_HOOKS __attribute__((noinline)) void freeTimedSmall(void *P, Block B);
/// The process's cell exceeded its limit; the rest is not counted.
INMEM_COLD INMEM_IN_HOOKS void freePastProcessLimit(void *P, Block B);
/// Counted except its lifetime; the type's cell exceeded its limit.
INMEM_COLD INMEM_IN_HOOKS void freePastTypeLimit(void *P, Block B);
/// Counted except its lifetime, which is timed.
INMEM_IN_HOOKS __attribute__((noinline)) void freeTimed(void *P, Block B);

/// As recordFree(), and frees the memory.
INMEM_INLINE void freeAny(void *P, Block B) {
  ThreadState &T = Thread;
  const Slot S = slotForFree(T, B);
  if (INMEM_UNLIKELY(S.R == nullptr))
    return freeSlow(P, B);
  bool PastProcess, PastType = false;
  {
    const Counting Now(T);
    PastProcess = lowerLive(T.Process, B.Size);
    if (INMEM_LIKELY(!PastProcess)) {
      countFreeInRow(T, S.R, P, B);
      PastType = lowerLive(S.C, B.Size);
    }
  }
  if (INMEM_UNLIKELY(PastProcess))
    return freePastProcessLimit(P, B);
  if (INMEM_UNLIKELY(PastType))
    return freePastTypeLimit(P, B);
  if (INMEM_MAYBE(B.timed()))
    return freeTimed(P, B);
  Real.free(P);
}

/// As freeAny(), for a small block.
INMEM_INLINE void freeSmall(void *P, Block B) {
  if (INMEM_MAYBE(B.timed()))
    return freeTimedSmall(P, B);
  ThreadState &T = Thread;
  const Slot S = slotForFree(T, B);
  if (INMEM_UNLIKELY(S.R == nullptr))
    return freeSlow(P, B);
  countSmallFree(T, S, P, B);
  Real.free(P);
}

/// Set with clock=exact and a hardware clock: frees read the clock before they
/// access the index, because a processor may wait for pending loads, here a
/// likely cache miss, before it reads its counter.
INMEM_HIDDEN extern bool ReadsClockFirst;

} // namespace inmem::rt

#endif
