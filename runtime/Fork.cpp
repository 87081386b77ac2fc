//===- Fork.cpp ------------------------------------------------------------===//
#include "Fork.h"

#include "Modules.h"
#include "ObjectLives.h"
#include "Objects.h"
#include "Recorder.h"
#include "Runtime.h"
#include "SiteRegistry.h"
#include "Snapshots.h"
#include "Stacks.h"
#include "Threads.h"

#include <pthread.h>

namespace inmem::rt {

using namespace trace;

namespace {

/// 1 in the process that set it, 0 in every child until that has been told.
constinit char *Mark = nullptr;

/// By site id: how many blocks of the parent are alive and where their ends
/// are counted.
struct Inherited {
  uint64_t Blocks, Bytes;
  Row *R;
};
constinit Inherited *OfSite = nullptr;
constinit uint32_t OfSiteCount = 0;

} // namespace

void beforeFork() {
  if (++Thread.Guard > 1)
    return; // a signal handler within the runtime, which may hold the locks
  Process.Mutex.acquire();
  lockIndex();
}

void afterForkInParent() {
  if (Thread.Guard == 1) {
    unlockIndex();
    Process.Mutex.release();
  }
  --Thread.Guard;
}

void afterForkInChild() {
  becomeChild(/*InsideHook=*/Thread.Guard > 1);
  --Thread.Guard;
}

void watchForks() {
  if (!Mark) {
    pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
    Mark = static_cast<char *>(mapPagesWipedByFork(kPage));
  }
  if (Mark)
    *Mark = 1;
}

bool isUnnoticedChild() {
  return Mark && __atomic_load_n(Mark, __ATOMIC_RELAXED) == 0;
}

void becomeChild(bool InsideHook) {
  resetIndexLocks();
  Process.Mutex.reset();
  if (Process.Stage != Phase::Ready && !InsideHook)
    return;
  // Nothing of the parent's file is written from here on.
  Process.Trace.detach();
  if (InsideHook) {
    Thread.AllocateSlots = Thread.FreeSlots = 0;
    Thread.Traced = Thread.Stacked = Thread.NotesFrees = false;
    if (Process.Stage == Phase::Ready)
      Process.Stage = Phase::Off;
    return;
  }
  // The child's own trace begins with its first event, so that fork-and-exec
  // costs nothing.
  Process.InheritedSites = siteCount();
  forgetCounters();
  forgetObjects();
  forgetThreads(Thread);
  forgetNumbers();
  forgetStacks();
  forgetModuleIds();
  forgetSnapshots();
  Process.Trace.abandon();
  KeptSealed = false;
  Process.Stage = Phase::Unborn;
  Process.EventBytes = Process.EventAllocations = 0;
}

void writeInherited() {
  if (OfSite)
    unmapPages(OfSite, (OfSiteCount + 1) * sizeof(Inherited));
  OfSiteCount = Process.InheritedSites;
  OfSite = static_cast<Inherited *>(
      mapPages((OfSiteCount + 1) * sizeof(Inherited)));
  if (!OfSite)
    return;
  forEachBlock([](const Block &B) {
    uint32_t Site = B.site() <= OfSiteCount ? plainSite(B.site()) : 0;
    if (Site == 0)
      return;
    OfSite[Site].Blocks += 1;
    OfSite[Site].Bytes += B.Size;
  });
  uint64_t Sites = 0;
  for (uint32_t I = 1; I <= OfSiteCount; ++I)
    Sites += OfSite[I].Blocks > 0;
  if (Sites == 0)
    return;
  ExtentHeader *E = Process.Trace.addExtent(ExtentKind::Rows, 0, 0,
                                            Sites * sizeof(Row));
  if (!E)
    return;
  auto *R = reinterpret_cast<Row *>(E + 1);
  for (uint32_t I = 1; I <= OfSiteCount; ++I) {
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
  Row *R = OfSite && B.site() <= OfSiteCount ? OfSite[plainSite(B.site())].R
                                             : nullptr;
  if (!R)
    return;
  __atomic_fetch_add(&R->Frees, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&R->FreedBytes, B.Size, __ATOMIC_RELAXED);
}

} // namespace inmem::rt
