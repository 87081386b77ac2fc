//===- Features.h - The core's calls into the floors above it -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The core includes no header of a feature. It calls them through this table,
// which process/Features.cpp fills at compile time, and on slow paths only: a
// call through it costs one load more than a direct one.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_FEATURES_H
#define INMEM_RUNTIME_FEATURES_H

#include "state/ThreadRows.h"

namespace inmem::rt {

struct Block;

struct FeatureTable {
  /// Starts the process, or a child that has not noticed its fork. Returns true
  /// if it records now. Start.h
  bool (*Start)();
  /// Called before and after each event after the end of the process, and to
  /// drop the seal once another thread has events or there are too many. End.h
  void (*BreakSeal)(ThreadState &T);
  void (*RenewSeal)(ThreadState &T);
  void (*LeaveUnsealed)();
  /// Releases and repairs everything that a jump out of the runtime left
  /// unfinished on the thread (Recovery.h).
  void (*ReleaseAfterJump)(ThreadState &T);

  /// Called when a thread has just got \p B, when it is about to lose its rows,
  /// and in its last key destructor, with rows and then without. The first two
  /// are called with the mutex.
  void (*ThreadAttached)(ThreadRows &B);
  void (*ThreadDetaches)(ThreadState &T);
  void (*ThreadEnds)();
  void (*ThreadEnded)();

  /// Executes waiting commands (CommandQueue.h), in an event or on a thread of
  /// the runtime. Snapshots.h
  void (*ExecuteCommands)();
  void (*ExecuteForIdle)();

  /// Events of a thread that scopes or budgets watch, and their consequences.
  /// Scopes.h
  void (*WatchAllocation)(ThreadState &T, void *P, uint64_t Size, uint32_t Id);
  void (*WatchFree)(ThreadState &T, void *P, Block B);
  void (*WatchMove)(ThreadState &T, void *P, Block B, uint32_t From);
  void (*WatchFlush)(ThreadState &T, const trace::Cell &C);
  void (*ActOnExcess)(ThreadState &T, void *P, bool MayThrow);
  void (*LeaveSharedBudget)(ThreadState &T);

  /// snapshot=peak: called outside the guard with the current live bytes.
  /// HeapSnapshot.h
  void (*ConsiderHeapPeak)(int64_t Live);
};
INMEM_HIDDEN extern const FeatureTable kFeatures;

} // namespace inmem::rt

#endif
