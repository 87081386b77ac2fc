//===- Fork.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/Fork.h"

#include "commands/Snapshots.h"
#include "graph/Types.h"
#include "heap/HeapSnapshot.h"
#include "hot/FastPath.h"
#include "hot/Operators.h"
#include "hot/Recorder.h"
#include "objects/ObjectLives.h"
#include "objects/Objects.h"
#include "objects/StringCopies.h"
#include "profiler/Profiler.h"
#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "scopes/Scopes.h"
#include "stacks/Stacks.h"
#include "state/Runtime.h"
#include "tables/PagedArray.h"
#include "threads/Recovery.h"
#include "threads/Threads.h"
#include "unwind/Unwind.h"
#include "watch/Watch.h"

#include <pthread.h>
#include <string.h>

namespace inmem::rt {

using namespace trace;

constinit char *ForkMark = nullptr;

namespace {

/// By site id: how many of the parent's blocks are alive, and the row that
/// counts their frees.
struct Inherited {
  uint64_t Blocks, Bytes;
  Row *R;
};
constinit PagedArray<Inherited> OfSite = {}; ///< Count: sites + 1, or 0

/// The same, taken from the rows before a fork. Only valid if no other thread
/// counts meanwhile; otherwise the child walks the index.
constinit PagedArray<Inherited> ForChild = {}; ///< Count 0: not valid

/// Fills \p Of with \p Count zeros; its own count stays 0 until they are set.
/// False when out of memory.
bool makeZeros(PagedArray<Inherited> &Of, uint32_t Count) {
  Of.Count = 0;
  if (!Of.reserve(Count))
    return false;
  memset(Of.Data, 0, Count * sizeof(Inherited));
  return true;
}

/// Of walks that look for an interrupted event. With the mutex.
constinit Unwinder Walks = {};
/// Whether a signal handler forks that interrupted an event: it ends in the
/// child, too, with what it has read of its thread's state.
constinit bool InterruptsEvent = false;

bool isOnlyThread(const ThreadState &T) {
  return Process.State == InitState::Ready && T.Rows &&
         Process.ThreadCount == 1;
}

/// With the mutex. Linear in sites, not in blocks.
void addUpForChild() {
  const uint32_t Count = siteCount() + 1;
  if (!makeZeros(ForChild, Count))
    return;
  auto Add = [](const Row &R) {
    if (kindOfSite(R.Site) >= INMEM_SITE_OBJECT)
      return; // no blocks
    Inherited &I = ForChild[plainSite(R.Site)];
    I.Blocks += R.Allocations - R.MovedOut - R.Frees;
    I.Bytes += R.Bytes - R.MovedOutBytes - R.FreedBytes;
  };
  forEachRow(Add);
  for (uint32_t I = 1; I < OfSite.Count; ++I)
    if (OfSite[I].R)
      Add(*OfSite[I].R);
  ForChild.Count = Count;
}

void lookThroughIndex() {
  const uint32_t Count = Process.InheritedSites + 1;
  if (!makeZeros(OfSite, Count))
    return;
  OfSite.Count = Count;
  forEachBlock([](const Block &B) {
    if (B.site() == 0 || B.site() >= OfSite.Count)
      return;
    Inherited &I = OfSite[plainSite(B.site())];
    I.Blocks += 1;
    I.Bytes += B.Size;
  });
}

} // namespace

/// Forks nest in signal handlers. \returns whether this one set the guard
static bool endFork(ThreadState &T) {
  const bool Guarding = T.GuardingFork == T.Forks;
  if (Guarding)
    T.GuardingFork = 0;
  --T.Forks;
  return Guarding;
}

/// Whether the fork that ends comes from a handler that interrupted an event.
static bool isInEvent(bool Guarding) { return !Guarding || InterruptsEvent; }

void beforeFork() {
  ThreadState &T = Thread;
  ++T.Forks;
  orderStores();
  // A signal handler within the runtime, which may hold the locks?
  if (isInside(T) || !changeGuard(T, 0, stackPointer() | kUnmarked | kForFork))
    return leaveSlotsToChild(T, true);
  T.GuardingFork = T.Forks;
  Process.Mutex.acquire();
  InterruptsEvent = Process.State == InitState::Ready && interruptsHook(Walks);
  if (InterruptsEvent)
    leaveSlotsToChild(T, true);
  else if (isOnlyThread(T))
    addUpForChild();
  lockIndex();
}

void afterForkInParent() {
  ThreadState &T = Thread;
  const bool Guarding = endFork(T);
  if (isInEvent(Guarding))
    leaveSlotsToChild(T, false);
  if (Guarding) {
    unlockIndex();
    if (Process.State == InitState::Ready) // else its own is yet to be written
      ForChild.Count = 0;
    Process.Mutex.release();
    setGuard(T, 0);
  }
}

void afterForkInChild() {
  ThreadState &T = Thread;
  const bool Guarding = endFork(T);
  if (Guarding && InterruptsEvent) {
    // Other threads may have held their locks; the event has not.
    forgetObjects();
    forgetScopes();
  }
  becomeChild(/*InsideHook=*/isInEvent(Guarding));
  if (Guarding)
    setGuard(T, 0);
}

void watchForks() {
  if (!ForkMark) {
    pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
    ForkMark = static_cast<char *>(mapPagesWipedByFork(kPage));
  }
  if (ForkMark)
    *ForkMark = 1;
}

void becomeChild(bool InsideHook) {
  resetIndexLocks();
  resetOperatorLock();
  forgetGraphs();
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
  Process.InheritedSites = siteCount();
  forgetCounters();
  forgetStringCopies();
  forgetObjects();
  forgetThreads(Thread);
  forgetNumbers();
  forgetStacks();
  forgetModuleIds();
  forgetSnapshots();
  forgetHeapSnapshots();
  Process.Trace.abandon();
  KeptSealed = false;
  Process.State = InitState::Unborn;
  Process.Events = {};
}

void writeInherited() {
  OfSite.release();
  if (ForChild.Count == Process.InheritedSites + 1) {
    OfSite = ForChild;
    ForChild = {};
  } else {
    lookThroughIndex();
  }
  ForChild.Count = 0;
  uint64_t Sites = 0;
  for (uint32_t I = 1; I < OfSite.Count; ++I)
    Sites += OfSite[I].Blocks > 0;
  if (Sites == 0)
    return;
  ExtentHeader *E =
      Process.Trace.addExtent(ExtentKind::Rows, 0, 0, Sites * sizeof(Row));
  if (!E)
    return;
  auto *R = reinterpret_cast<Row *>(E + 1);
  for (uint32_t I = 1; I < OfSite.Count; ++I) {
    if (OfSite[I].Blocks == 0)
      continue;
    R->Site = I;
    R->Type = writeInheritedSite(I);
    R->Allocations = OfSite[I].Blocks;
    R->Bytes = OfSite[I].Bytes;
    OfSite[I].R = R++;
  }
  __atomic_store_n(&E->Used, Sites, __ATOMIC_RELEASE);
}

void freedInherited(const Block &B) {
  Row *R = B.site() < OfSite.Count ? OfSite[plainSite(B.site())].R : nullptr;
  // The block of an event that a signal handler had interrupted at the fork may
  // be missing here.
  if (!R || __atomic_load_n(&R->Frees, __ATOMIC_RELAXED) >= R->Allocations)
    return;
  __atomic_fetch_add(&R->Frees, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&R->FreedBytes, B.Size, __ATOMIC_RELAXED);
}

} // namespace inmem::rt
