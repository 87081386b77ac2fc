//===- ThreadRows.h - The cold part of a thread's state -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ThreadRows owns the rows, cells and buckets of one thread. It outlives its
// thread: counts are cumulative, so a later thread continues in it
// (Threads.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_THREADROWS_H
#define INMEM_RUNTIME_THREADROWS_H

#include "platform/Tasks.h"
#include "state/ThreadState.h"
#include "tables/PagedArray.h"

namespace inmem::rt {

/// An extent of rows, for summing all rows.
struct RowExtent {
  trace::ExtentHeader *Extent;
  RowExtent *Next; ///< the next older one, which is full
  uint64_t First;  ///< number of rows in all older extents
};

/// A thread's copy of the counters of one registered module.
struct CounterCopy {
  uint32_t CounterId;
  char *Cells; ///< in the trace, in the order of the module's
  CounterCopy *Next;
};

struct ThreadRows {
  ThreadRows *Next;     ///< list of all threads' rows
  ThreadRows *NextFree; ///< list of rows without a thread
  uint32_t Index;       ///< 1-based; ExtentHeader.Owner
  uint32_t Epoch;       ///< Runtime::Epoch of the trace that holds them
  uint32_t Tid;
  ThreadState *State;  ///< the owner's; null without one
  bool Counted;        ///< included in Runtime::ThreadCount
  char *ThreadPointer; ///< the owner's
  char Name[kThreadNameBytes];
  uint32_t Lifetime; ///< number of the thread's lifetime; 0: not recorded
  bool HasRest;      ///< Lifetime represents all threads beyond the limit
  bool CountsStale;  ///< CountsAtEnd misses later events
  trace::ThreadCounts CountsAtEnd; ///< when the last thread ended

  Slot *Slots;
  uint32_t SlotCapacity;
  PagedArray<trace::Cell *> CellOfType; ///< by type index, up to Capacity
  trace::Cell *ProcessCell;
  /// Rows by site id, for events that interrupt a count (hot/Cells.h).
  PagedArray<trace::Row *> InterruptingRows;
  trace::ExtentHeader *Rows, *Octaves, *Cells;
  trace::ExtentHeader *AllocationLifetimes; ///< clock=events
  RowExtent *RowExtents;
  CounterCopy *Counters;
  int64_t *Displacements; ///< the owner's __inmem_displacement_table, or null

  uint64_t Random; ///< every, sample_bytes

  uint32_t LeavesSlots; ///< number of active leaveSlotsToChild() calls

  KnownCaller *Callers; ///< array of kKnownCallers, empty in a forked child
  struct CallerPaths *Paths; ///< callers=on; else null
  EventWriter Events;        ///< mode=trace
  struct StackState *Stacks; ///< stacks=, frees=; else null
  struct FreeState *Frees;   ///< frees=; else null
};

/// Newest first. Guarded by the mutex.
extern ThreadRows *AllThreadRows;

/// Calls \p Visit with every row of a thread and the row's number; the newest
/// extent comes first. Needs the mutex.
template <class Visitor> void forEachRowOf(const ThreadRows &B, Visitor Visit) {
  for (const RowExtent *E = B.RowExtents; E; E = E->Next) {
    auto *Rows = reinterpret_cast<const trace::Row *>(E->Extent + 1);
    uint64_t Used = __atomic_load_n(&E->Extent->Used, __ATOMIC_ACQUIRE);
    for (uint64_t I = 0; I < Used; ++I)
      Visit(E->First + I, Rows[I]);
  }
}

/// Calls \p Visit with every row of every thread and the thread's index. Needs
/// the mutex.
template <class Visitor> void forEachThreadRow(Visitor Visit) {
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    forEachRowOf(*B,
                 [&](uint64_t, const trace::Row &R) { Visit(B->Index, R); });
}

/// As forEachThreadRow(), without the index.
template <class Visitor> void forEachRow(Visitor Visit) {
  forEachThreadRow([&](uint32_t, const trace::Row &R) { Visit(R); });
}

} // namespace inmem::rt

#endif
