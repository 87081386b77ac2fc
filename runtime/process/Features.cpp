//===- Features.cpp - The core's calls of features ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "state/Features.h"

#include "allocator/Allocator.h"
#include "commands/Snapshots.h"
#include "heap/HeapSnapshot.h"
#include "hot/Suspension.h"
#include "hot/Threads.h"
#include "index/LiveIndex.h"
#include "objects/Objects.h"
#include "process/End.h"
#include "process/Start.h"
#include "profiler/ListedThreads.h"
#include "profiler/Profiler.h"
#include "registry/Texts.h"
#include "scopes/Scopes.h"
#include "state/Runtime.h"
#include "watch/Watch.h"
#include "workers/OwnThread.h"

namespace inmem::rt {

static void releaseAfterJump(ThreadState &T) {
  releaseIndexLocks();
  releaseObjectLocks();
  releaseOperatorLock();
  releaseScopeLocks(T);
  releaseAllocatorLock();
  releaseWatchLock();
  releaseProfileLock();
  releaseTextLock();
  Process.Mutex.releaseOwn();
  goOnAfterJump(T);
}

static void threadAttached(ThreadRows &B) {
  attachCounters(B);
  beginAwaited(B);
}

static void threadDetaches(ThreadState &T) {
  dropScopes(T);
  detachCounters(*T.Rows);
}

constinit const FeatureTable kFeatures = {
    .Start = startRecording,
    .BreakSeal = breakSeal,
    .RenewSeal = renewSeal,
    .LeaveUnsealed = leaveUnsealed,
    .ReleaseAfterJump = releaseAfterJump,
    .ThreadAttached = threadAttached,
    .ThreadDetaches = threadDetaches,
    .ThreadEnds = retireThread,
    .ThreadEnded = OwnThread::endWithLastThread,
    .ExecuteCommands = executeCommands,
    .ExecuteForIdle = executeForIdle,
    .WatchAllocation = watchAllocation,
    .WatchFree = watchFree,
    .WatchMove = watchMove,
    .WatchFlush = watchFlush,
    .ActOnExcess = actOnExcess,
    .LeaveSharedBudget = leaveSharedBudget,
    .ConsiderHeapPeak = considerHeapPeak,
};

} // namespace inmem::rt
