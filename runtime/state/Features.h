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
  /// The process has not started, or is a child that does not know it yet.
  /// \returns whether it records now. Start.h
  bool (*Start)();
  /// An event after the end, and after that event; and the first of another
  /// thread, or one too many: End.h
  void (*BreakSeal)(ThreadState &T);
  void (*RenewSeal)(ThreadState &T);
  void (*LeaveUnsealed)();
  /// Releases and repairs what the thread left half done by a jump out of the
  /// runtime (Recovery.h).
  void (*ReleaseAfterJump)(ThreadState &T);

  /// The thread has just got \p B; loses its rows; runs its last key
  /// destructor, with rows and then without. The first two with the mutex.
  void (*ThreadAttached)(ThreadRows &B);
  void (*ThreadDetaches)(ThreadState &T);
  void (*ThreadEnds)();
  void (*ThreadEnded)();

  /// Commands wait (CommandQueue.h): for an event, and for a thread of ours.
  /// Snapshots.h
  void (*ExecuteCommands)();
  void (*ExecuteForIdle)();

  /// An event of a thread that is watched, and what follows. Scopes.h
  void (*WatchAllocation)(ThreadState &T, void *P, uint64_t Size, uint32_t Id);
  void (*WatchFree)(ThreadState &T, void *P, Block B);
  void (*WatchMove)(ThreadState &T, void *P, Block B, uint32_t From);
  void (*WatchFlush)(ThreadState &T, const trace::Cell &C);
  void (*ActOnExcess)(ThreadState &T, void *P, bool MayThrow);
  void (*LeaveSharedBudget)(ThreadState &T);

  /// snapshot=peak: \p Live bytes are alive, outside the guard. HeapSnapshot.h
  void (*ConsiderHeapPeak)(int64_t Live);
};
INMEM_HIDDEN extern const FeatureTable kFeatures;

} // namespace inmem::rt

#endif
