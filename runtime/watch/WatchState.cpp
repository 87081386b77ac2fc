//===- WatchState.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "watch/WatchState.h"

#include "hot/Recorder.h"
#include "hot/Threads.h"
#include "platform/Mappings.h"
#include "platform/Tasks.h"
#include "registry/RecordBuilder.h"
#include "state/Runtime.h"
#include "threads/ThreadLifetimes.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

/// The most events of one kind per thread and look; the last one represents the
/// rest.
constexpr uint8_t kMostTimes = 64;
/// The kernel's list of threads is read at least every N looks.
constexpr uint32_t kLooksToList = 16;
/// The number of ended threads that a watcher remembers.
constexpr uint32_t kMostEnded = 1 << 16;
/// The number of crossings for which the trace has room.
constexpr uint32_t kMostCrossings = 1 << 16;

constinit ExtentHeader *Crossings = nullptr, *Lines = nullptr;
constinit uint32_t CrossingCount = 0;

/// Adds a thread's allocations since the last look to its column.
void addToLine(const Watched &E, uint64_t Bytes, uint64_t NowNs,
               uint64_t WidthNs) {
  LivedThread &T = livedThread(E.Thread);
  if (Bytes == 0)
    return;
  if (!T.Line) {
    auto *Fresh = addElement<ThreadLine>(Lines, ExtentKind::ThreadLines, 0,
                                         4 * kPage, 64 * kPage);
    if (!Fresh)
      return;
    Fresh->Lifetime = E.Thread;
    Fresh->Forms[0].WidthNs = WidthNs;
    Fresh->Forms[0].FromNs = E.LookNs / WidthNs * WidthNs;
    publishElement(Lines);
    T.Line = Fresh;
  }
  // The allocations may have been at any time since the last look, so use the
  // middle of that interval.
  const uint64_t Ended = T.Lifetime->EndedNs;
  const uint64_t To = Ended && Ended < NowNs ? Ended : NowNs;
  const uint64_t At = To > E.LookNs ? E.LookNs + (To - E.LookNs) / 2 : To;
  for (;;) {
    const uint32_t Active = T.Line->Active;
    ThreadLine::Form &Form = T.Line->Forms[Active];
    const uint64_t Column =
        At < Form.FromNs ? 0 : (At - Form.FromNs) / Form.WidthNs;
    if (Column < ThreadLine::kColumns) {
      Form.Bytes[Column] += Bytes;
      return;
    }
    ThreadLine::Form &Wider = T.Line->Forms[1 - Active];
    Wider = {};
    Wider.WidthNs = Form.WidthNs * 2;
    Wider.FromNs = Form.FromNs / Wider.WidthNs * Wider.WidthNs;
    for (unsigned I = 0; I < ThreadLine::kColumns; ++I)
      Wider.Bytes[(Form.FromNs + I * Form.WidthNs - Wider.FromNs) /
                  Wider.WidthNs] += Form.Bytes[I];
    __atomic_store_n(&T.Line->Active, 1 - Active, __ATOMIC_RELEASE);
  }
}

/// True if \p Amount has passed more multiples of \p Threshold than the \p Told
/// ones that were reported.
bool crosses(uint64_t Amount, uint64_t Threshold, uint64_t &Told,
             uint8_t &Times, inmem_thread_event &Out) {
  if (Threshold == 0 || Amount / Threshold <= Told)
    return false;
  Out.times = ++Times < kMostTimes ? 1 : Amount / Threshold - Told;
  Told += Out.times;
  Out.amount = Told * Threshold;
  return true;
}

void writeCrossing(const Watched &E, const inmem_thread_event &Event) {
  if (CrossingCount == kMostCrossings || !mayLook())
    return;
  auto *C = addElement<ThreadCrossing>(Crossings, ExtentKind::ThreadCrossings,
                                       0, kPage, 16 * kPage);
  if (!C)
    return;
  ++CrossingCount;
  const bool Bytes = Event.kind == INMEM_THREAD_BYTES;
  C->Lifetime = E.Thread;
  C->Kind = Bytes ? CrossingKind::Bytes : CrossingKind::Blocks;
  C->AtNs = E.LookNs;
  C->Amount = Event.amount;
  C->Total = Bytes ? E.Now.Bytes : E.Now.Allocations;
  C->Times = static_cast<uint32_t>(Event.times < UINT32_MAX ? Event.times
                                                            : UINT32_MAX);
  publishElement(Crossings);
}

} // namespace

bool mayLook() { return Process.State == InitState::Ready && !KeptSealed; }

void describe(const Watched &E, inmem_thread_info &Out) {
  const LivedThread &T = livedThread(E.Thread);
  const ThreadCounts C = difference(E.Now, E.Begin);
  Out = {};
  Out.id = E.Thread;
  Out.tid = T.Lifetime->Tid;
  Out.alive = !E.Ended;
  memcpy(Out.name, T.Lifetime->Name, sizeof Out.name);
  Out.start = reinterpret_cast<const void *>(T.Start);
  Out.allocations = C.Allocations;
  Out.allocated_bytes = C.Bytes;
  Out.frees = C.Frees;
  Out.freed_bytes = C.FreedBytes;
  Out.temporary = C.Temporary;
  Out.live = static_cast<int64_t>(C.Allocations - C.Frees);
  Out.live_bytes = static_cast<int64_t>(C.Bytes - C.FreedBytes);
  Out.allocations_per_second = E.BlocksPerSecond;
  Out.bytes_per_second = E.BytesPerSecond;
  Out.created_ns = T.Lifetime->BeganNs;
  Out.died_ns = E.Ended ? T.Lifetime->EndedNs : 0;
}

void takeNew(Watcher &W) {
  while (W.Seen < livedThreadCount()) {
    if (livedThread(W.Seen + 1).Lifetime->Flags & kLifetimeOfRest) {
      ++W.Seen; // represents several threads
      continue;
    }
    uint32_t *Active = W.Active.add();
    Watched *E = Active ? W.All.add() : nullptr;
    if (!E) {
      W.Active.Count -= Active != nullptr;
      return;
    }
    E->Thread = ++W.Seen;
    E->LookNs = livedThread(E->Thread).Lifetime->BeganNs;
    *Active = W.All.Count - 1;
  }
}

void forgetEnded(Watcher &W, uint32_t Keep) {
  uint32_t Ended = 0;
  for (uint32_t I = 0; I < W.All.Count; ++I)
    Ended += W.All[I].ToldEnded;
  uint32_t Kept = 0;
  W.Active.Count = 0;
  for (uint32_t I = 0; I < W.All.Count; ++I) {
    if (W.All[I].ToldEnded && Ended > Keep) {
      --Ended;
      continue;
    }
    W.All[Kept] = W.All[I];
    if (!W.All[Kept].ToldEnded)
      W.Active[W.Active.Count++] = Kept;
    ++Kept;
  }
  W.All.Count = Kept;
  W.Forgotten = W.Forgotten + 1;
}

void askKernel(Watcher &W) {
  if (W.Looks++ % kLooksToList != 0 && countTasks() == knownThreadCount())
    return;
  const TaskList Tasks;
  if (Tasks.count() == 0)
    return;
  releaseDeadThreads();
  noteOtherThreads(Tasks.ids(), Tasks.count());
}

void count(Watched &E) {
  if (E.Ended)
    return;
  const LivedThread &T = livedThread(E.Thread);
  const bool Ended = T.Lifetime->EndedNs != 0;
  ThreadCounts Found = countsOf(T);
  if (!Ended) {
    // A block that moves to another site may briefly be counted at both.
    const auto Raise = [](uint64_t &To, uint64_t From) {
      To = To > From ? To : From;
    };
    Raise(Found.Allocations, E.Now.Allocations);
    Raise(Found.Bytes, E.Now.Bytes);
  }
  E.Now = Found;
  E.Ended = Ended;
}

void lookAt(const Watcher &W, Watched &E) {
  count(E);
  const uint64_t Now = sinceBegan();
  const ThreadCounts Last = difference(E.Now, E.Look);
  const auto PerSecond = [&](uint64_t Amount) {
    return Now <= E.LookNs
               ? 0
               : static_cast<uint64_t>(static_cast<double>(Amount) * 1e9 /
                                       static_cast<double>(Now - E.LookNs));
  };
  E.BytesPerSecond = PerSecond(Last.Bytes);
  E.BlocksPerSecond = PerSecond(Last.Allocations);
  if (W.LinesOwner)
    addToLine(E, Last.Bytes, Now, W.Options.interval_ns);
  E.Look = E.Now;
  E.LookNs = Now;
  E.ByteTimes = E.BlockTimes = 0;
}

bool nextEvent(const Watcher &W, Watched &E, inmem_thread_event &Out) {
  Out = {INMEM_THREAD_CREATED, 0, 1};
  if (!E.ToldCreated)
    return E.ToldCreated = !mayBeStarting(livedThread(E.Thread));
  const ThreadCounts C = difference(E.Now, E.Begin);
  Out.kind = INMEM_THREAD_BYTES;
  bool Crossed = crosses(C.Bytes, W.Options.threshold_bytes, E.ToldBytes,
                         E.ByteTimes, Out);
  if (!Crossed) {
    Out.kind = INMEM_THREAD_BLOCKS;
    Crossed = crosses(C.Allocations, W.Options.threshold_blocks, E.ToldBlocks,
                      E.BlockTimes, Out);
  }
  if (Crossed) {
    writeCrossing(E, Out);
    return true;
  }
  Out = {INMEM_THREAD_DIED, 0, 1};
  return E.Ended && !E.ToldEnded && (E.ToldEnded = true);
}

void sweep(Watcher &W) {
  uint32_t Kept = 0, Ended = 0;
  for (uint32_t I = 0; I < W.Active.Count; ++I)
    if (!W.All[W.Active[I]].ToldEnded)
      W.Active[Kept++] = W.Active[I];
  W.Active.Count = Kept;
  Ended = W.All.Count - Kept;
  if (Ended > kMostEnded)
    forgetEnded(W, kMostEnded / 2);
}

void forgetWatchExtents() {
  Crossings = Lines = nullptr;
  CrossingCount = 0;
}

} // namespace inmem::rt
