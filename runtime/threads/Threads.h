//===- Threads.h - The cold part of a thread's state ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ThreadRows owns the rows, cells and buckets that one thread counts in. It
// outlives its thread: counts are cumulative, so the next thread goes on in it
// (after kKeptApart threads; before that each thread keeps its own, so that a
// report can tell them apart).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_THREADS_H
#define INMEM_RUNTIME_THREADS_H

#include "platform/Tasks.h"
#include "registry/SiteRegistry.h"
#include "state/ThreadState.h"
#include "tables/PagedArray.h"

namespace inmem::rt {

inline constexpr uint32_t kKeptApart = 64;

/// An extent of rows, for summing all rows.
struct RowExtent {
  trace::ExtentHeader *Extent;
  RowExtent *Next; ///< the next older one, which is full
  uint64_t First;  ///< rows in all older extents
};

/// A thread's copy of the counters of one registered module.
struct CounterCopy {
  uint32_t CounterId;
  char *Cells; ///< in the trace; same order as the module's
  CounterCopy *Next;
};

struct ThreadRows {
  ThreadRows *Next;     ///< of all threads
  ThreadRows *NextFree; ///< those without a thread
  uint32_t Index;       ///< 1-based; ExtentHeader.Owner
  uint32_t Tid;
  ThreadState *State;  ///< of the owner; null without one
  bool Counted;        ///< in Runtime::ThreadCount
  char *ThreadPointer; ///< of the owner
  char Name[kThreadNameBytes];
  uint32_t Life;    ///< of its thread (ThreadLives.h); 0: none is kept
  bool HasRest;     ///< its life stands for all threads beyond the limit
  bool CountsStale; ///< something counted after CountsAtEnd
  trace::ThreadCounts CountsAtEnd; ///< when the last thread ended

  Slot *Slots;
  uint32_t SlotCapacity;
  PagedArray<trace::Cell *> CellOfType; ///< by type index, up to Capacity
  trace::Cell *ProcessCell;
  trace::ExtentHeader *Rows, *Octaves, *Cells;
  trace::ExtentHeader *AllocationLives; ///< clock=events
  RowExtent *RowExtents;
  CounterCopy *Counters;

  uint64_t Random; ///< every, sample_bytes

  uint32_t LeavesSlots; ///< calls of leaveSlotsToChild() in effect

  KnownCaller *Callers;      ///< kKnownCallers of them, empty in a forked child
  struct CallerPaths *Paths; ///< callers=on; else null
  EventWriter Events;        ///< mode=trace
  struct StackState *Stacks; ///< stacks=, frees=; else null
  struct FreeState *Frees;   ///< frees=; else null
};

/// Newest first. With the mutex.
extern ThreadRows *AllThreadRows;

/// Calls \p Visit with every row of a thread and the row's number; the newest
/// extent comes first. With the mutex.
template <class Visitor> void forEachRowOf(const ThreadRows &B, Visitor Visit) {
  for (const RowExtent *E = B.RowExtents; E; E = E->Next) {
    auto *Rows = reinterpret_cast<const trace::Row *>(E->Extent + 1);
    uint64_t Used = __atomic_load_n(&E->Extent->Used, __ATOMIC_ACQUIRE);
    for (uint64_t I = 0; I < Used; ++I)
      Visit(E->First + I, Rows[I]);
  }
}

/// The same for every thread, with the thread's index.
template <class Visitor> void forEachThreadRow(Visitor Visit) {
  for (ThreadRows *B = AllThreadRows; B; B = B->Next)
    forEachRowOf(*B,
                 [&](uint64_t, const trace::Row &R) { Visit(B->Index, R); });
}

/// The same without the index.
template <class Visitor> void forEachRow(Visitor Visit) {
  forEachThreadRow([&](uint32_t, const trace::Row &R) { Visit(R); });
}

/// Gives the calling thread rows; false when out of memory. With the mutex.
bool attachThread(ThreadState &T);
/// After a jump out of the runtime (Recovery.h): repairs what the thread left
/// half done.
void goOnAfterJump(ThreadState &T);
/// Flushes all of the thread's cells to the totals. It must have rows.
void flushCells(ThreadState &T);
/// Begins a new part of the run for peaks. Calls \p Ended with each type and
/// its highest live bytes in the part that ends. Other threads flush at their
/// next event; what a thread in the middle of one holds back may count for
/// either part. With the mutex. \returns the highest live bytes of the process
/// in that part
template <class Visitor> int64_t beginPeaksAnew(Visitor Ended);
/// The same for one type, or kProcessCell.
int64_t beginPeakAnew(uint32_t Type);
/// Adds what cells know of peaks to the totals. With the mutex.
void gatherPeaks();
/// Takes the thread's rows away; its counts stay. With the mutex.
void detachThread(ThreadState &T);
/// Releases the rows of threads that ended unnoticed, by a bare SYS_exit:
/// their stacks, and the ThreadState above them, may be unmapped. Call before
/// touching other threads' states. With the mutex.
void releaseDeadThreads();
/// Records changed thread names, for the trace's end and for concurrent
/// readers. With the mutex.
void updateNames();
/// Called by pthread_setname_np. With the mutex.
void threadWasNamed(const void *ThreadPointer, const char *Name);
/// Forbids or allows the thread to read clocks.
void setHasNoClock(ThreadState &T, bool HasNone);
/// Decides which events of the thread may take the fast path.
void updateFastPath(ThreadState &T);
/// The same for every thread, after recording was switched on or off. With
/// the mutex.
void updateAllFastPaths();

/// clock=events: creates the row for lifetimes in allocations that belongs to
/// the thread's row \p R, if necessary. With the guard, without the mutex; null
/// without room.
trace::Row *addAllocationLives(ThreadState &T, trace::Row &R);

/// The thread's slot of site \p Id, set up. With the mutex; null if there is no
/// room or the site is excluded.
Slot *makeSlot(ThreadState &T, uint32_t Id);

/// Forks from now on leave the thread's slots and known callers to the child,
/// whose interrupted event ends with them; or empty them again. Calls nest.
void leaveSlotsToChild(ThreadState &T, bool Leave);

/// After fork, in the child: only the calling thread exists, without rows.
void forgetThreads(ThreadState &T);

/// True once the calling thread has run its key destructors: each event then
/// borrows rows (attachThread, detachThread).
bool threadHasEnded();

/// Attaches the thread if necessary. Sets \p Borrows if it has ended: then the
/// caller must call detachBorrowed() after the event. Both without the mutex.
bool attach(ThreadState &T, bool &Borrows);
void detachBorrowed(ThreadState &T);

/// Registers our key destructor. Once per process, when recording starts.
void watchThreadEnds();

template <class Visitor> int64_t beginPeaksAnew(Visitor Ended) {
  gatherPeaks();
  for (uint32_t Type = 0; Type <= typeCount(); ++Type)
    Ended(Type, beginPeakAnew(Type));
  return beginPeakAnew(trace::kProcessCell);
}

} // namespace inmem::rt

#endif
