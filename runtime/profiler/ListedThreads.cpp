//===- ListedThreads.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profiler/ListedThreads.h"

#include "platform/Clocks.h"
#include "profiler/SampleCounts.h"
#include "profiler/SmallStacks.h"
#include "threads/ThreadLifetimes.h"

namespace inmem::rt {

using namespace trace;

constinit ListedThreads Sampled = {};

namespace {

/// A thread at the time of sorting; its SampledThread may be another one's by
/// now.
struct Listed {
  uint32_t Tid;
  uint64_t Order;
  SampledThread *T;

  bool comesBefore(const Listed &Other) const {
    return Tid != Other.Tid ? Tid < Other.Tid : Order < Other.Order;
  }
};

constinit PagedArray<SampledThread *> FreeThreads = {};
constinit PagedArray<Listed> ByTid = {};
constinit PagedArray<SampledThread *> Newcomers =
    {}; ///< added since ByTid was built
/// The calling thread's SampledThread, if it has enlisted itself.
constinit __thread SampledThread *Mine
    __attribute__((tls_model("initial-exec"))) = nullptr;

/// A free SampledThread; null when out of memory. Needs the mutex.
SampledThread *takeThread() {
  if (FreeThreads.Count > 0)
    return FreeThreads[--FreeThreads.Count];
  auto *T = static_cast<SampledThread *>(mapPages(sizeof(SampledThread)));
  SampledThread **Slot = T ? Sampled.All.add() : nullptr;
  if (!Slot)
    return nullptr;
  T->Magic = SampledThread::kMagic;
  return *Slot = T;
}

/// Needs the mutex, so that no timer starts after they are stopped.
void startClock(SampledThread &T) {
  if (T.Session != sessionNumber())
    T.Unwind.Low = T.Unwind.High = 0; // the id may be another thread's now
  T.Session = sessionNumber();
  T.IsAwaited = T.IsStale = T.HasLast = T.HasAnswered = false;
  T.Restless = T.LooksSaved = 0;
  if (Sampled.How.Clock != ProfileClock::Cpu || !Sampled.TakesNew)
    return;
  T.Counted = T.Deaf = 0;
  T.Told = T.Left = 0;
  if (!cpuTimeOf(T.Tid, T.BeganNs))
    T.BeganNs = UINT64_MAX;
  if (startTimer(T, Sampled.Signal, Sampled.How.IntervalNs) ==
      SendResult::QueueFull)
    Sampled.LacksTimers = true;
}

/// Adds thread \p Tid, seen for the first time. Null when out of memory. Needs
/// the mutex.
SampledThread *begin(uint32_t Tid, uint32_t Lifetime) {
  static constinit uint64_t Begun = 0;
  SampledThread *T = takeThread();
  if (!T)
    return nullptr;
  T->Lifetime = Lifetime;
  T->Order = ++Begun;
  T->IsSeen = true;
  T->IsNew = false;
  enlist(*T, Tid);
  startClock(*T);
  if (SampledThread **Slot = Newcomers.add())
    *Slot = T;
  return T;
}

/// Ends the sampling of a thread that has ended.
void end(SampledThread &T) {
  stopTimer(T);
  takeLastAnswers(T, Sampled.How);
  countAtStart(T.Lifetime, T.Left > T.Deaf ? T.Left - T.Deaf : 0);
  T.Left = 0;
  Locked L(Process.Mutex);
  T.Tid = 0;
  if (SampledThread **Slot = FreeThreads.add())
    *Slot = &T;
}

//===----------------------------------------------------------------------===//
// The list of threads
//===----------------------------------------------------------------------===//

/// Sorts the known threads and marks them unseen. Needs the mutex.
void sortByTid() {
  ByTid.Count = Newcomers.Count = 0;
  for (uint32_t I = 0; I < Sampled.All.Count; ++I) {
    SampledThread *T = Sampled.All[I];
    T->IsSeen = T->IsNew = false;
    const Listed This = {T->Tid, T->Order, T};
    Listed *Slot = This.Tid != 0 ? ByTid.add() : nullptr;
    if (!Slot)
      continue;
    // Insertion sort, because they are mostly in order already.
    for (; Slot > ByTid.Data && This.comesBefore(Slot[-1]); --Slot)
      Slot[0] = Slot[-1];
    *Slot = This;
  }
}

/// The last sorted thread with that id, or null. Needs the mutex.
SampledThread *findSorted(uint32_t Tid) {
  uint32_t First = 0;
  for (uint32_t Left = ByTid.Count; Left > 0;) {
    const uint32_t Half = Left / 2;
    if (ByTid[First + Half].Tid <= Tid) {
      First += Half + 1;
      Left -= Half + 1;
    } else {
      Left = Half;
    }
  }
  if (First == 0 || ByTid[First - 1].Tid != Tid)
    return nullptr;
  const Listed &Found = ByTid[First - 1];
  return Found.T->Order == Found.Order && Found.T->Tid == Tid ? Found.T
                                                              : nullptr;
}

/// A thread with that id that was added since sorting, or null. Needs the
/// mutex.
SampledThread *findNewcomer(uint32_t Tid) {
  for (uint32_t I = 0; I < Newcomers.Count; ++I)
    if (Newcomers[I]->Tid == Tid)
      return Newcomers[I];
  return nullptr;
}

bool hasEnded(const SampledThread &T) {
  return T.Lifetime != 0 && livedThread(T.Lifetime).Lifetime->EndedNs != 0;
}

/// Handles a thread \p Tid that the kernel lists: marks \p T as seen if that is
/// the thread, else adds a new one. False if \p T has to end first. Needs the
/// mutex.
bool isMet(SampledThread *T, uint32_t Tid) {
  if (isOwnThread(Tid))
    return true;
  if (T && T->Lifetime && !hasEnded(*T)) {
    T->IsSeen = true;
  } else {
    const uint32_t Lifetime = livedThreadWithTid(Tid);
    if (T && T->Lifetime && Lifetime)
      return false; // another thread has the id now
    if (!T) {
      // A signal's frame may not fit onto the stack of a thread that has no
      // alternate one yet.
      if (!isThreadExpected() && !findNewcomer(Tid))
        begin(Tid, Lifetime);
      return true;
    }
    T->IsSeen = true; // ending, or its number was unknown
    T->Lifetime = Lifetime ? Lifetime : T->Lifetime;
  }
  if (T->Session != sessionNumber())
    startClock(*T);
  return true;
}

void meet(uint32_t Tid) {
  for (;;) {
    SampledThread *T;
    {
      Locked L(Process.Mutex);
      T = findSorted(Tid);
      if (isMet(T, Tid))
        return;
    }
    end(*T); // so that the search does not find it again
  }
}

} // namespace

void listThreads() {
  {
    Locked L(Process.Mutex);
    sortByTid();
  }
  const TaskList Tasks;
  {
    Locked L(Process.Mutex);
    if (!mayCountSamples())
      return;
    noteOtherThreads(Tasks.ids(), Tasks.count());
  }
  for (uint32_t I = 0; I < Tasks.count(); ++I)
    meet(Tasks.ids()[I]);
  if (Tasks.count() > 0) // else /proc shows nothing
    Sampled.forEach([](SampledThread &T) {
      if (!T.IsSeen && !T.IsNew)
        end(T);
    });
}

void enlistThread() {
  if (!Sampled.TakesNew)
    return;
  Locked L(Process.Mutex);
  const uint32_t Tid = threadId();
  if (!Sampled.TakesNew || isOwnThread(Tid))
    return;
  const uint32_t Lifetime = livedThreadWithTid(Tid);
  SampledThread *T = findNewcomer(Tid); // the kernel already listed it
  if (!T)
    T = findSorted(Tid);
  if (T && !hasEnded(*T))
    useAlternateStack(*T);
  else if (T = begin(Tid, Lifetime); !T) // begin() sets the stack
    return;
  T->Lifetime = Lifetime;
  T->IsNew = true;
  Mine = T;
}

void retireThread() {
  SampledThread *T = Mine;
  uint64_t Ns;
  Mine = nullptr;
  noteAlternateStack({});
  if (!T || (!T->HasTimer && !T->LacksTimer) || T->Tid != threadId() ||
      !cpuTimeOf(T->Tid, Ns) || Ns < T->BeganNs + T->FirstNs)
    return;
  const uint64_t Run =
      (Ns - T->BeganNs - T->FirstNs) / Sampled.How.IntervalNs + 1;
  T->Left = Run > T->Told ? Run - T->Told : 0;
}

void resumeClock(SampledThread &T) {
  if (!T.LacksTimer || hasSmallStack(T.Tid))
    return;
  Locked L(Process.Mutex);
  if (Sampled.TakesNew && T.Tid != 0)
    startTimer(T, Sampled.Signal, Sampled.How.IntervalNs);
}

void changeSignal(int Signal) {
  Locked L(Process.Mutex);
  Sampled.Signal = Signal;
  for (uint32_t I = 0; I < Sampled.All.Count; ++I) {
    SampledThread &T = *Sampled.All[I];
    if (T.Tid == 0)
      continue;
    stopTimer(T);
    startClock(T);
  }
}

void stopClocks() {
  Locked L(Process.Mutex);
  Sampled.TakesNew = 0;
  for (uint32_t I = 0; I < Sampled.All.Count; ++I)
    stopTimer(*Sampled.All[I]);
}

void forgetListedThreads() {
  Sampled.TakesNew = 0;
  Mine = nullptr;
  // The forking thread still runs its handlers on one of these stacks.
  FreeThreads.Count = 0;
  const uintptr_t Own = alternateStack().Start;
  for (uint32_t I = 0; I < Sampled.All.Count; ++I) {
    SampledThread &T = *Sampled.All[I];
    T.Tid = Own && reinterpret_cast<uintptr_t>(T.AlternateStack) == Own
                ? threadId()
                : 0;
    T.HasTimer = T.LacksTimer = false; // a child has no timers
    T.TimedBefore = T.TimedAfter = nullptr;
    T.Tail = T.Head;
    T.Lifetime = T.Session = 0;
    SampledThread **Slot = T.Tid == 0 ? FreeThreads.add() : nullptr;
    if (Slot)
      *Slot = &T;
  }
}

} // namespace inmem::rt
