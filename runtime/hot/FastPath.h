//===- FastPath.h - Which events may take the fast path -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_FASTPATH_H
#define INMEM_RUNTIME_FASTPATH_H

#include "options/Options.h"
#include "state/ThreadState.h"

namespace inmem::rt {

/// The facts about a thread and its process that decideFastPath() needs.
struct Conditions {
  bool Counts;    ///< has its own rows, and the process is not off
  bool Recording; ///< between inmem_start and inmem_stop
  bool WritesEvents;
  bool HasStacks;    ///< has the memory for stacks= or frees=
  bool Watched;      ///< a scope or budget observes allocations
  bool WatchesFrees; ///< a scope or budget observes frees
  bool InCopy;       ///< inside a copy constructor
  bool Suspended;    ///< allocations are ignored
  bool HasNoClock;   ///< must not read a clock
};

/// The decision for the thread's next events.
struct FastPath {
  bool Allocations; ///< counted by the hooks directly
  bool Frees;       ///< counted by the hooks directly
  bool NotesFrees;  ///< frees=, if nothing else needs the slow path
  RecordMode Mode;  ///< used if hooks do not count directly
  LifetimePolicy Lifetimes;
};

/// A pure function of the conditions.
inline FastPath decideFastPath(const Conditions &C, const Options &O) {
  const bool InEvents = O.Clock.Index == Options::ClockEvents;
  const bool NotesFrees = O.Frees.Index == Options::FreesOn;
  const bool Stacked = O.Stacks > 0 || NotesFrees;
  const bool Samples = O.SampleBytes > 0 || O.Every > 1;
  const bool BySize = O.MinSize > 0 || O.MaxSize > 0;
  const bool Filtered = Samples || BySize;
  const bool Allocates =
      C.Counts && C.Recording && !C.Watched && !C.InCopy && !C.Suspended;
  const bool Frees =
      C.Counts && !C.WritesEvents && !C.WatchesFrees && O.SampleBytes == 0;
  FastPath F = {};
  F.Allocations = Allocates && !Filtered && !Stacked && !C.WritesEvents;
  F.Frees = Frees && !NotesFrees;
  F.NotesFrees = Frees && NotesFrees;
  F.Mode = RecordMode::StepByStep;
  if (Allocates && !InEvents) {
    if (!Filtered && C.WritesEvents && !Stacked)
      F.Mode = RecordMode::Traced;
    else if (!Filtered && !C.WritesEvents && Stacked && C.HasStacks)
      F.Mode = RecordMode::Stacked;
    else if (!BySize && O.Every > 1 && O.SampleBytes == 0)
      F.Mode = RecordMode::SkipsBlocks;
    else if (!BySize && O.Every <= 1 && O.SampleBytes > 0)
      F.Mode = RecordMode::SkipsBytes;
  }
  F.Lifetimes = C.HasNoClock ? LifetimePolicy::None
                : InEvents   ? LifetimePolicy::InEvents
                : O.Clock.Index == Options::ClockAuto &&
                        !Samples // sampled blocks: time all
                    ? LifetimePolicy::Thinned
                    : LifetimePolicy::All;
  return F;
}

/// Decides which events of the thread may take the fast path.
void updateFastPath(ThreadState &T);
/// Closes the fast path of every thread after recording was switched on or off.
/// The next event of each thread decides again. Needs the mutex.
void updateAllFastPaths();
/// Forbids or allows the thread to read clocks.
void setHasNoClock(ThreadState &T, bool HasNone);

/// Prevents a suspension from restoring the fast path (Suspension.cpp). Atomic,
/// because other threads close it, too.
inline void noteClosing(ThreadState &T) {
  __atomic_fetch_add(&T.Closings, 1, __ATOMIC_RELAXED);
}
/// Sends the thread's next allocation through the general case, which decides
/// again.
inline void closeAllocations(ThreadState &T) {
  noteClosing(T);
  T.Fast.AllocateSlots = 0;
  T.Callers.Quick = nullptr;
  T.Callers.QuickPaths = &ClosedPaths;
  T.Fast.Mode = RecordMode::StepByStep;
}
/// As closeAllocations(), for frees as well.
inline void closeFastPath(ThreadState &T) {
  closeAllocations(T);
  T.Fast.FreeEnd = 0;
  T.Fast.NotesFrees = false;
}

} // namespace inmem::rt

#endif
