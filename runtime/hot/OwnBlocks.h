//===- OwnBlocks.h - blocks of the program's own allocators ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's own allocators may place blocks closer together than the index
// can resolve. Such blocks go into the side table.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OWNBLOCKS_H
#define INMEM_RUNTIME_OWNBLOCKS_H

#include "hot/Origins.h"
#include "hot/Recorder.h"
#include "state/Runtime.h"

namespace inmem::rt {

using AnyFunction = void (*)();

/// The out-of-line part of a hook.
#define INMEM_ASIDE_IN_HOOKS __attribute__((noinline)) INMEM_IN_HOOKS

/// Removes the block at \p P from the index and returns it.
inline Block takeOwn(void *P) {
  Block B = ForeignBlockCount ? takeForeign(P) : Block();
  return B ? B : takeBlock(P);
}

/// Records the block at \p P; \p Old: the site of the block that it replaces,
/// or 0.
template <class From>
INMEM_COLD INMEM_IN_HOOKS void recordOwn(void *P, size_t Size, From F,
                                         uint32_t Old) {
  const auto Record = [&] {
    if (Old)
      F.recordAgain(P, Size, Old);
    else
      F.record(P, Size);
  };
  if (reserveEntry(P)) {
    Record();
    releaseEntry(P);
    return;
  }
  if (!HasPackedBlocks) {
    expectPackedBlocks();
    ReadsClockFirst = false; // frees look up the block first
  }
  beginSideTable(Thread);
  Record();
  endSideTable(Thread);
}

/// Returns true if \p Of can be called without suspending recording: nothing is
/// recorded, or \p Of is the process's first function of that name and not
/// instrumented, so that its own allocations are recognised.
INMEM_INLINE bool needsNoSuspension(AnyFunction Of, const void *First) {
  return Process.State == InitState::Off ||
         (!AllocatorsInstrumented &&
          reinterpret_cast<const void *>(Of) == First);
}

template <bool IsOperator>
INMEM_INLINE void *callOwn(AnyFunction Of, const void *First, uintptr_t A,
                           uintptr_t B, uintptr_t C) {
  const auto Function = reinterpret_cast<NewOperator>(Of);
  const auto *Third = reinterpret_cast<const void *>(C);
  return needsNoSuspension(Of, First) ? Function(A, B, Third)
         : IsOperator ? inmem_call_replaced_new(Function, A, B, Third)
                      : inmem_call_own(Function, A, B, Third);
}

template <bool IsOperator = false, class From>
INMEM_ASIDE_IN_HOOKS void *ownBlock(AnyFunction Of, const void *First,
                                    size_t Size, uintptr_t A, uintptr_t B,
                                    uintptr_t C, From F) {
  void *P = callOwn<IsOperator>(Of, First, A, B, C);
  if (!P)
    return P;
  if constexpr (IsOperator)
    Thread.Excess.CannotUndo = true;
  recordOwn(P, Size, F, 0);
  if constexpr (IsOperator)
    Thread.Excess.CannotUndo = false;
  return P;
}

template <class From>
INMEM_ASIDE_IN_HOOKS int ownPosix(AnyFunction Of, const void *First,
                                  void **Result, size_t Align, size_t Size,
                                  From F) {
  const void *Returned = callOwn<false>(
      Of, First, reinterpret_cast<uintptr_t>(Result), Align, Size);
  const int Error = static_cast<int>(reinterpret_cast<intptr_t>(Returned));
  if (Error == 0 && *Result)
    recordOwn(*Result, Size, F, 0);
  return Error;
}

/// Returns true if one of the program's functions, about to free \p P, was
/// called by another one that has removed the block: the entry at that address
/// belongs to a neighbour.
inline bool isGone(const ThreadState &T, const void *P) {
  return T.Operators.Deleted == P && T.Suspension.Depth != 0;
}

template <class From>
INMEM_ASIDE_IN_HOOKS void *ownRealloc(AnyFunction Of, const void *First,
                                      void *Old, size_t Size, uintptr_t B,
                                      uintptr_t C, From F) {
  ThreadState &T = Thread;
  Block Taken = Old && !isGone(T, Old) ? takeOwn(Old) : Block();
  void *const Outer = T.Operators.Deleted;
  T.Operators.Deleted = Old;
  void *New = callOwn<false>(Of, First, reinterpret_cast<uintptr_t>(Old), B, C);
  T.Operators.Deleted = Outer;
  if (!New && Size != 0) {
    if (Taken)
      restore(Old, Taken);
    return nullptr;
  }
  if (Taken)
    recordFree(Old, Taken);
  if (New)
    recordOwn(New, Size, F, Taken.site());
  return New;
}

template <bool IsOperator>
INMEM_ASIDE_IN_HOOKS void ownFree(AnyFunction Of, const void *First, void *P,
                                  uintptr_t B, uintptr_t C) {
  ThreadState &T = Thread;
  if (P && !isGone(T, P))
    if (Block Taken = takeOwn(P))
      recordFree(P, Taken);
  const auto Function = reinterpret_cast<DeleteOperator>(Of);
  void *const Outer = T.Operators.Deleted;
  T.Operators.Deleted = P;
  if (needsNoSuspension(Of, First))
    Function(P, B, C);
  else if (IsOperator)
    inmem_call_replaced_delete(Function, P, B, C);
  else
    inmem_call_own(reinterpret_cast<NewOperator>(Of),
                   reinterpret_cast<uintptr_t>(P), B,
                   reinterpret_cast<const void *>(C));
  T.Operators.Deleted = Outer;
}

} // namespace inmem::rt

#endif
