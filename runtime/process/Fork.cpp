//===- Fork.cpp - A process that becomes two ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/Start.h"

#include "commands/Snapshots.h"
#include "graph/Types.h"
#include "heap/HeapSnapshot.h"
#include "hot/FastPath.h"
#include "hot/Inherited.h"
#include "hot/Mapped.h"
#include "hot/Recorder.h"
#include "hot/Rows.h"
#include "hot/Suspension.h"
#include "hot/Threads.h"
#include "objects/Objects.h"
#include "profiler/Profiler.h"
#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "registry/Texts.h"
#include "scopes/Scopes.h"
#include "stacks/Stacks.h"
#include "state/Recovery.h"
#include "state/Runtime.h"
#include "unwind/Unwind.h"
#include "watch/Watch.h"

#include <pthread.h>
#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

/// Unwinds walks that look for an interrupted event. Needs the mutex.
constinit Unwinder Walks = {};
/// True if the fork is in a signal handler that interrupted an event. The event
/// ends in the child, too, with the state of its thread that it had already
/// read.
constinit bool InterruptsEvent = false;

bool isOnlyThread(const ThreadState &T) {
  return Process.State == InitState::Ready && T.Rows &&
         Process.ThreadCount == 1;
}

} // namespace

/// Forks nest in signal handlers. \returns whether this one set the guard
static bool endFork(ThreadState &T) {
  const bool Guarding = T.Forks.Guarding == T.Forks.Running;
  if (Guarding)
    T.Forks.Guarding = 0;
  --T.Forks.Running;
  return Guarding;
}

/// True if the fork is called by a handler that interrupted an event.
static bool isInEvent(bool Guarding) { return !Guarding || InterruptsEvent; }

void beforeFork() {
  ThreadState &T = Thread;
  ++T.Forks.Running;
  orderStores();
  // In a signal handler that interrupted the runtime, which may hold the locks.
  if (isInside(T) || !changeGuard(T, 0, stackPointer() | kUnmarked | kForFork))
    return leaveSlotsToChild(T, true);
  T.Forks.Guarding = T.Forks.Running;
  Process.Mutex.acquire();
  InterruptsEvent = Process.State == InitState::Ready && interruptsHook(Walks);
  if (InterruptsEvent)
    leaveSlotsToChild(T, true);
  else if (isOnlyThread(T))
    countForChild();
  lockIndex();
  lockMapped();
}

void afterForkInParent() {
  ThreadState &T = Thread;
  const bool Guarding = endFork(T);
  if (isInEvent(Guarding))
    leaveSlotsToChild(T, false);
  if (Guarding) {
    unlockMapped();
    unlockIndex();
    if (Process.State ==
        InitState::Ready) // else writeInherited() still needs the count
      dropCountForChild();
    Process.Mutex.release();
    setGuard(T, 0);
  }
}

void afterForkInChild() {
  ThreadState &T = Thread;
  const bool Guarding = endFork(T);
  if (Guarding && InterruptsEvent) {
    // Other threads may have held these locks at the fork; the interrupted
    // event does not.
    forgetObjects();
    forgetScopes();
  }
  becomeChild(/*InsideHook=*/isInEvent(Guarding));
  if (Guarding)
    setGuard(T, 0);
}

void watchForks() {
  static constinit char *Page = nullptr;
  if (!Page) {
    pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
    Page = static_cast<char *>(mapPagesWipedByFork(kPage));
  }
  if (!Page)
    return;
  *Page = 1;
  ForkMark = Page;
}

void becomeChild(bool InsideHook) {
  resetIndexLocks();
  resetOperatorLock();
  becomeMappedOfChild();
  forgetGraphs();
  resetTextLock();
  Process.Mutex.reset();
  forgetWatches();
  forgetProfile();
  if (Process.State != InitState::Ready && !InsideHook)
    return;
  // From here on nothing is written to the parent's file.
  Process.Trace.detach();
  if (InsideHook) {
    closeFastPath(Thread);
    if (Process.State == InitState::Ready)
      Process.State = InitState::Off;
    return;
  }
  // The child's own trace begins with its first event, so that fork-and-exec
  // costs nothing.
  forgetTrace(/*KeepMapped=*/true);
  forgetThreads(Thread);
  Process.Trace.abandon();
}

void forgetTrace(bool KeepMapped) {
  Process.InheritedSites = siteCount();
  forgetCounters();
  forgetStringCopies();
  forgetObjects();
  forgetScopes();
  forgetNumbers();
  forgetStacks();
  forgetModuleIds();
  forgetSnapshots();
  forgetHeapSnapshots();
  forgetMappedTotals(KeepMapped);
  KeptSealed = false;
  Process.State = InitState::Unborn;
  Process.Events = {};
}

} // namespace inmem::rt
