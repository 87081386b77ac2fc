//===- Watch.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "watch/Watch.h"

#include "hot/Recorder.h"
#include "platform/Mappings.h"
#include "platform/Message.h"
#include "platform/Process.h"
#include "state/Features.h"
#include "state/Runtime.h"
#include "tables/Hash.h"
#include "watch/WatchState.h"

#include <stdlib.h>

namespace inmem::rt {

using namespace trace;

namespace {

/// The number of threads to sum before the mutex is released for others.
constexpr uint32_t kAtOnce = 32;
constexpr uint64_t kUsualNs = 500000000, kLeastNs = 1000000;
/// Longest wait for callbacks when the process ends.
constexpr uint64_t kPatienceNs = 1000000000;

constinit Watcher *Watchers = nullptr;
constinit bool OptionWasStarted = false, EndIsAwaited = false;
/// Held while a watcher is started; taken before the mutex.
constinit Lock StartLock = {};

//===----------------------------------------------------------------------===//
// The watcher's thread, which has neither guard nor mutex
//===----------------------------------------------------------------------===//

void look(Watcher &W) {
  ThreadState &T = Thread;
  {
    Guarded G(T);
    Locked L(Process.Mutex);
    if (!mayLook())
      return;
    askKernel(W);
    takeNew(W);
  }
  for (uint32_t I = 0, Of = W.Forgotten;;) {
    Guarded G(T);
    Locked L(Process.Mutex);
    if (Of != W.Forgotten) {
      I = 0;
      Of = W.Forgotten;
    }
    for (const uint32_t End = I + kAtOnce; I < End && I < W.Active.Count; ++I)
      lookAt(W, W.All[W.Active[I]]);
    if (I >= W.Active.Count)
      return;
  }
}

void deliverEvents(Watcher &W) {
  ThreadState &T = Thread;
  for (uint32_t I = 0, Of = W.Forgotten;;) {
    inmem_thread_event Event;
    inmem_thread_info Info;
    {
      Guarded G(T);
      Locked L(Process.Mutex);
      if (Of != W.Forgotten) {
        I = 0;
        Of = W.Forgotten;
      }
      while (I < W.Active.Count && !nextEvent(W, W.All[W.Active[I]], Event))
        ++I;
      if (I >= W.Active.Count)
        return sweep(W);
      describe(W.All[W.Active[I]], Info);
    }
    W.Callback(W.Context, &Event, &Info);
    if (W.IsQuiet || W.Deleted || processId() != Process.Pid)
      return; // in a forked child, this is the only thread
  }
}

void unlink(Watcher &W) {
  for (Watcher **Link = &Watchers; *Link; Link = &(*Link)->Next)
    if (*Link == &W) {
      *Link = W.Next;
      return;
    }
}

/// Frees a watcher that is unlinked; its thread has ended or called leave().
void freeWatcher(Watcher &W) {
  while (W.IsAwaited) // brief: its thread has ended
    sleepNs(100000);
  W.All.release();
  W.Active.release();
  if (W.Release)
    W.Release(W.Context);
  unmapPages(&W, sizeof W);
}

/// It stops watching.
void retire(Watcher &W) {
  Guarded G(Thread);
  Locked L(Process.Mutex);
  keepAllThreads(false);
  if (W.Deleted)
    unlink(W);
  if (!W.LinesOwner)
    return;
  W.LinesOwner = false;
  for (Watcher *Other = Watchers; Other; Other = Other->Next)
    if (Other != &W && Other->Thread.exists() && !Other->Thread.isStopped()) {
      Other->LinesOwner = true;
      return;
    }
}

void watch(void *Context) {
  auto &W = *static_cast<Watcher *>(Context);
  const uint32_t Pid = Process.Pid;
  uint64_t Next = monotonicNs();
  for (;;) {
    const uint64_t Now = monotonicNs();
    Next += W.Options.interval_ns;
    if (Next < Now) // callbacks overran the interval
      Next = Now;
    W.Thread.sleepUntil(Next);
    const bool Last = W.Thread.isStopped();
    if (!Last && OwnThread::isToPause())
      return;
    if (W.IsQuiet)
      break;
    kFeatures.ExecuteForIdle();
    look(W);
    deliverEvents(W);
    if (processId() != Pid)
      return;
    if (W.IsQuiet || W.Deleted || (Last && W.Thread.isStopped()))
      break;
  }
  retire(W);
  if (!W.Deleted)
    return;
  W.Thread.leave();
  freeWatcher(W);
}

} // namespace

//===----------------------------------------------------------------------===//
// Starting and ending. These functions need the guard, without the mutex.
//===----------------------------------------------------------------------===//

namespace {

Watcher *newWatcher(const inmem_watch_options &Options,
                    inmem_watch_callback Callback, void *Context,
                    void (*Release)(void *)) {
  auto *W = static_cast<Watcher *>(mapPages(sizeof(Watcher)));
  if (!W)
    return nullptr;
  W->Options = Options;
  uint64_t &Ns = W->Options.interval_ns;
  Ns = Ns == 0 ? kUsualNs : Ns < kLeastNs ? kLeastNs : Ns;
  W->Callback = Callback;
  W->Context = Context;
  W->Release = Release;
  Locked L(Process.Mutex);
  W->Next = Watchers;
  Watchers = W;
  return W;
}

/// Existing threads count neither as new nor as crossing a threshold.
void beginWatching(Watcher &W) {
  askKernel(W);
  takeNew(W);
  for (uint32_t I = 0; I < W.Active.Count; ++I) {
    Watched &E = W.All[W.Active[I]];
    count(E);
    E.ToldCreated = true;
    E.ToldEnded |= E.Ended;
    E.Look = E.Now;
    E.LookNs = sinceBegan();
    const ThreadCounts C = difference(E.Now, E.Begin);
    if (W.Options.threshold_bytes)
      E.ToldBytes = C.Bytes / W.Options.threshold_bytes;
    if (W.Options.threshold_blocks)
      E.ToldBlocks = C.Allocations / W.Options.threshold_blocks;
  }
  sweep(W);
  keepAllThreads(true);
  W.LinesOwner = true;
  for (const Watcher *Other = Watchers; Other; Other = Other->Next)
    if (Other != &W && Other->LinesOwner)
      W.LinesOwner = false;
}

/// Starts a watcher that has no thread. Needs StartLock.
bool startStopped(Watcher &W) {
  {
    Locked L(Process.Mutex);
    if (!mayLook())
      return false;
    beginWatching(W);
    W.IsQuiet = false;
    if (!EndIsAwaited)
      atexit(endWatches);
    EndIsAwaited = true;
  }
  if (W.Thread.start("inmem-watch", 0, watch, &W))
    return true;
  Locked L(Process.Mutex);
  keepAllThreads(false);
  W.LinesOwner = false;
  return false;
}

bool startWatcher(Watcher &W) {
  if (W.Thread.isCalling()) {
    W.Thread.goOn();
    return true;
  }
  for (;;) {
    uint32_t Run;
    {
      Locked L(StartLock);
      Run = W.Thread.run();
      if (!W.Thread.exists())
        return startStopped(W);
      if (!W.Thread.isStopped())
        return true;
    }
    W.Thread.join(Run);
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

void endWatches() {
  if (MayBeSandboxed)
    return; // waiting needs system calls a sandbox may forbid
  for (;;) {
    Watcher *Some = nullptr;
    uint32_t Run;
    {
      Guarded G(Thread);
      Locked L(Process.Mutex);
      for (Watcher *W = Watchers; W && !Some; W = W->Next)
        if (W->Thread.exists() && !W->Thread.isCalling() && !W->IsQuiet) {
          Some = W;
          // Callbacks may refer to objects that no longer exist; only ours
          // still run.
          W->IsQuiet = !W->IsOption;
          W->IsAwaited = true;
        }
      if (!Some)
        return;
      Run = Some->Thread.stop();
    }
    Some->Thread.join(Run, kPatienceNs);
    Some->IsQuiet = true;
    Some->IsAwaited = false;
  }
}

void startWatchOption() {
  if (OptionWasStarted || Process.Config.WatchNs == 0 ||
      Process.State != InitState::Ready)
    return;
  OptionWasStarted = true;
  if (!openWatchOutput())
    return;
  const Options &O = Process.Config;
  const inmem_watch_options Options = {O.WatchNs, O.WatchBytes, O.WatchBlocks};
  Watcher *W = newWatcher(Options, tellWatchOutput, nullptr, nullptr);
  if (W)
    W->IsOption = true;
  if (!W || !startWatcher(*W))
    Message().text("cannot start the thread for watch=").emit();
}

void releaseWatchLock() { StartLock.releaseOwn(); }

void forgetWatches() {
  StartLock.reset();
  OptionWasStarted = false;
  for (Watcher *W = Watchers; W; W = W->Next) {
    W->Thread.forget();
    W->All.Count = W->Active.Count = W->Seen = W->Looks = 0;
    W->LinesOwner = false;
    W->IsQuiet = W->IsAwaited = false;
    W->Forgotten = W->Forgotten + 1;
  }
  forgetWatchExtents();
}

} // namespace inmem::rt

//===----------------------------------------------------------------------===//
// inmem/threads_api.h
//===----------------------------------------------------------------------===//

using namespace inmem::rt;

struct inmem_watch *inmem_watch_new(const struct inmem_watch_options *Options,
                                    inmem_watch_callback Callback,
                                    void *Context,
                                    void (*Release)(void *Context)) {
  SlowEvent Inside(Thread);
  const inmem_watch_options Usual = {};
  return Inside ? newWatcher(Options ? *Options : Usual, Callback, Context,
                             Release)
                : nullptr;
}

int inmem_watch_start(struct inmem_watch *W) {
  SlowEvent Inside(Thread);
  return Inside && ensureStarted() && startWatcher(*W);
}

void inmem_watch_stop(struct inmem_watch *W) {
  if (!W->Thread.exists())
    return;
  const uint32_t Run = W->Thread.stop();
  if (!W->Thread.isCalling())
    W->Thread.join(Run);
}

void inmem_watch_delete(struct inmem_watch *W) {
  inmem_watch_stop(W);
  const bool InCallback = W->Thread.isCalling();
  {
    SlowEvent Inside(Thread);
    Locked L(Process.Mutex);
    if (InCallback) {
      W->Deleted = true;
      return;
    }
    unlink(*W);
  }
  freeWatcher(*W);
}

void inmem_watch_reset(struct inmem_watch *W, uint64_t Id) {
  SlowEvent Inside(Thread);
  if (!Inside)
    return;
  Locked L(Process.Mutex);
  if (!mayLook())
    return;
  takeNew(*W);
  for (uint32_t I = 0; I < W->All.Count; ++I) {
    Watched &E = W->All[I];
    if (Id != 0 && E.Thread != Id)
      continue;
    count(E);
    E.Begin = E.Now;
    E.ToldBytes = E.ToldBlocks = 0;
  }
  if (Id == 0)
    forgetEnded(*W, 0);
}

size_t inmem_watch_threads(struct inmem_watch *W,
                           struct inmem_thread_info *Threads, size_t Room) {
  SlowEvent Inside(Thread);
  if (!Inside)
    return 0;
  {
    Locked L(Process.Mutex);
    if (mayLook()) {
      askKernel(*W);
      takeNew(*W);
    }
  }
  for (uint32_t I = 0, Of = W->Forgotten;;) {
    Locked L(Process.Mutex);
    if (Of != W->Forgotten) {
      I = 0;
      Of = W->Forgotten;
    }
    for (const uint32_t End = I + kAtOnce; I < End && I < W->All.Count; ++I) {
      count(W->All[I]);
      if (I < Room)
        describe(W->All[I], Threads[I]);
    }
    if (I >= W->All.Count)
      return W->All.Count;
  }
}

void inmem_watch_print(struct inmem_watch *W, int Descriptor) {
  for (size_t Room = 64;;) {
    const size_t Bytes = Room * sizeof(inmem_thread_info);
    auto *Threads = static_cast<inmem_thread_info *>(mapPages(Bytes));
    if (!Threads)
      return;
    const size_t Count = inmem_watch_threads(W, Threads, Room);
    if (Count <= Room)
      printThreads(Descriptor, Threads, Count);
    unmapPages(Threads, Bytes);
    if (Count <= Room)
      return;
    Room = Count + Count / 8;
  }
}

void inmem_watch_failed(struct inmem_watch *W, const char *Type,
                        const char *Text) {
  auto Hash = static_cast<uint32_t>(hashText(Type));
  Hash += Hash == 0;
  {
    SlowEvent Inside(Thread);
    Locked L(Process.Mutex);
    uint32_t *Slot = W->Failures, *End = Slot + 8;
    while (Slot < End && *Slot && *Slot != Hash)
      ++Slot;
    if (Slot == End || *Slot == Hash)
      return;
    *Slot = Hash;
  }
  Message()
      .text("a callback of a ThreadWatcher threw ")
      .text(Type)
      .text(*Text ? ": " : "")
      .text(Text)
      .text(" (reported once)")
      .emit();
}
