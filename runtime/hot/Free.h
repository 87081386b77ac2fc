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

/// Counts the end of \p B in its row.
INMEM_INLINE void countFreeIn(ThreadState &T, trace::Row *R, void *P, Block B) {
  bump(R->Frees, 1);
  bump(R->FreedBytes, B.Size);
  if (T.LastAllocated == P) {
    bump(R->Temporary, 1);
    T.LastAllocated = nullptr;
  }
}

/// \param End the time, if it has been read already (clock=exact: all
/// lifetimes have the same weight); or 0
INMEM_INLINE void countFree(ThreadState &T, const Slot &S, void *P, Block B,
                            bool OwnsGuard = false, uint64_t End = 0) {
  if (lowerLive(T.Process, B.Size))
    liveFell(B.Size, OwnsGuard);
  countFreeIn(T, S.R, P, B);
  subtractLive(S.C, B.Size);
  if (!INMEM_MAYBE(B.timed()))
    return;
  if (End)
    enterLifetime(S.R, lifetimeUntil(T, B, End), 1, B.Size);
  else
    countLifetime(P, S.R, B);
}

/// As countFree(), for a block of less than kSizeFollows bytes whose lifetime
/// is not timed. Cells that fall below their limits by it are flushed at the
/// next free that is larger or timed (trace::Cell).
INMEM_INLINE void countSmallFree(ThreadState &T, const Slot &S, void *P,
                                 Block B) {
  drain(T.Process->Delta, B.Size);
  countFreeIn(T, S.R, P, B);
  drain(S.C->Delta, B.Size);
}

/// The calling thread's slot for the end of \p B, if that may be counted on the
/// fast path; else none.
INMEM_INLINE Slot slotForFree(const ThreadState &T, Block B) {
  // One shift both takes the id out and multiplies it.
  uint64_t Offset = B.Value >> (kSizeBits - kSlotShift) & IndexEntry{kMaxSites}
                                                              << kSlotShift;
  __asm__("" : "+r"(Offset)); // or clang masks twice
  if (INMEM_UNLIKELY(!isBelow(Offset, T.FreeEnd)))
    return {};
  return slotAt(T, Offset);
}

/// Counts the end of \p B if the thread and the site are set up.
/// \returns whether they are
INMEM_INLINE bool countIfOpen(void *P, Block B, uint64_t End = 0) {
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
  if (INMEM_UNLIKELY(!countIfOpen(P, B, End)))
    freedSlow(P, B);
}

/// The block at \p P, if it is one of ours, is about to be freed.
INMEM_INLINE void freed(void *P) {
  Block B = takeBlock(P);
  if (INMEM_LIKELY(static_cast<bool>(B)))
    freed(P, B);
}

/// Ends freeBlock() for a block that has brought a cell past its limit: the
/// process's, before it was counted anywhere else, or its type's, after that.
enum class PastLimit : uint8_t { Process, Type };
INMEM_COLD INMEM_IN_HOOKS void freePastLimit(void *P, Block B, PastLimit Of);
/// Ends freeBlock() for a block that was counted and whose lifetime was timed.
INMEM_IN_HOOKS __attribute__((noinline)) void freeTimed(void *P, Block B);

/// As freed(), and frees the memory. Tail-calls what is rare, so that the usual
/// free has no frame.
INMEM_INLINE void freeBlock(void *P, Block B) {
  ThreadState &T = Thread;
  const Slot S = slotForFree(T, B);
  if (INMEM_UNLIKELY(S.R == nullptr))
    return freeSlow(P, B);
  if (INMEM_UNLIKELY(lowerLive(T.Process, B.Size)))
    return freePastLimit(P, B, PastLimit::Process);
  countFreeIn(T, S.R, P, B);
  if (INMEM_UNLIKELY(lowerLive(S.C, B.Size)))
    return freePastLimit(P, B, PastLimit::Type);
  if (INMEM_MAYBE(B.timed()))
    return freeTimed(P, B);
  Real.free(P);
}

/// freeBlock() for timed blocks of freeSmall(), which without this call needs
/// no frame.
INMEM_IN_HOOKS __attribute__((noinline)) void freeBlockAside(void *P, Block B);

/// freeBlock for a block of less than kSizeFollows bytes.
INMEM_INLINE void freeSmall(void *P, Block B) {
  if (INMEM_MAYBE(B.timed()))
    return freeBlockAside(P, B);
  ThreadState &T = Thread;
  const Slot S = slotForFree(T, B);
  if (INMEM_UNLIKELY(S.R == nullptr))
    return freeSlow(P, B);
  countSmallFree(T, S, P, B);
  Real.free(P);
}

/// clock=exact, with a hardware clock: it is read before the look into the
/// index, since a processor may wait for loads that are under way before it
/// reads its counter.
INMEM_HIDDEN extern bool ReadsClockFirst;

} // namespace inmem::rt

#endif
