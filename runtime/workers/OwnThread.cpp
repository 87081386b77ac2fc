//===- OwnThread.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "workers/OwnThread.h"

#include "hot/Recorder.h"
#include "platform/Clocks.h"
#include "platform/Lock.h"
#include "state/Runtime.h"
#include "threads/ThreadLifetimes.h"

namespace inmem::rt {

namespace {

/// Interval at which our threads check whether they are alone, and the longest
/// that the program's last thread waits for them.
constexpr uint64_t kLookNs = 250000000, kPatienceNs = 1000000000;

constinit Lock ListLock = {};
constinit OwnThread *Running = nullptr;
constinit OwnThread *Paused = nullptr;
constinit uint32_t RunningCount = 0, Pausing = 0;
/// The number of threads that were started but are not yet in the list.
constinit uint32_t StartingCount = 0;
/// Null in threads of the program.
constinit __thread const OwnThread *Current
    __attribute__((tls_model("initial-exec"))) = nullptr;
/// The thread that the calling thread is about to start. A sanitizer may start
/// a thread of its own first, with another pthread_t.
struct Launch {
  OwnThread *Thread;
  const pthread_t *Id;
};
constinit __thread Launch Launching
    __attribute__((tls_model("initial-exec"))) = {};

/// Returns true if only our threads and \p Others more are left. If one of ours
/// ended while threads are counted, one of the program's would be taken for
/// ours.
bool areAlone(uint32_t Others) {
  const uint32_t Before = __atomic_load_n(&RunningCount, __ATOMIC_ACQUIRE);
  const uint32_t Ours = Before + Others;
  uint32_t Count = countLibraryThreads();
  if (Count == 0) {
    // Saves the system call while known threads are running.
    if (Process.ThreadCount > Ours)
      return false;
    Count = countRunningTasks();
  }
  return Count != 0 && Count <= Ours &&
         __atomic_load_n(&RunningCount, __ATOMIC_ACQUIRE) == Before;
}

} // namespace

void *OwnThread::enterFirst(void *Argument) {
  ThreadState &T = Thread;
  OwnThread &Self = *static_cast<OwnThread *>(Argument);
  const auto Routine = Self.Routine;
  void *const RoutineArgument = Self.RoutineArgument;
  {
    Guarded G(T);
    Locked L(Process.Mutex);
    addOwnThread();
  }
  suspend(T); // for good
  void *Result = Routine(RoutineArgument);
  // No tail call: stack walks end at this frame.
  __asm__ volatile("" : "+r"(Result));
  return Result;
}

int OwnThread::createLaunching(CreateFunction *Create, pthread_t *Id,
                               const pthread_attr_t *Attributes,
                               void *(*Routine)(void *), void *Argument) {
  OwnThread *Self = Launching.Thread;
  if (!Self || Launching.Id != Id)
    return Create(Id, Attributes, Routine, Argument);
  Self->Routine = Routine;
  Self->RoutineArgument = Argument;
  return Create(Id, Attributes, enterFirst, Self);
}

void *OwnThread::enter(void *Argument) {
  auto &Self = *static_cast<OwnThread *>(Argument);
  ThreadState &T = Thread;
  setThreadName(Self.Name);
  Current = &Self;
  bool Gone = false;
  Self.Gone = &Gone;
  Self.enlist();
  const uint32_t Run = load(Self.Begun);
  Self.Body(Self.Context);
  if (Gone)
    return nullptr;
  if (isToPause() && !Self.isStopped()) {
    Self.retire(/*Paused=*/true);
    return nullptr;
  }
  if (Self.IsLast) { // the program's exit handlers may run on this thread
    T.Suspension.Depth = T.Suspension.Ignoring = 0;
    setGuard(T, 0);
  }
  Self.retire(/*Paused=*/false);
  __atomic_store_n(&Self.Ended, Run, __ATOMIC_RELEASE);
  return nullptr;
}

void OwnThread::enlist() {
  Guarded G(Thread);
  Locked L(ListLock);
  Tid = threadId();
  Next = Running;
  Running = this;
  __atomic_store_n(&RunningCount, RunningCount + 1, __ATOMIC_RELEASE);
  __atomic_fetch_sub(&StartingCount, 1, __ATOMIC_RELEASE);
}

void OwnThread::retire(bool ToPause) {
  Guarded G(Thread);
  Locked L(ListLock);
  for (OwnThread **Link = &Running; *Link; Link = &(*Link)->Next)
    if (*Link == this) {
      *Link = Next;
      if (ToPause) {
        Next = Paused;
        Paused = this;
      }
      __atomic_store_n(&RunningCount, RunningCount - 1, __ATOMIC_RELEASE);
      return;
    }
}

void OwnThread::endWithLastThread() {
  if (__atomic_load_n(&RunningCount, __ATOMIC_ACQUIRE) == 0 || Current ||
      !areAlone(1))
    return;
  {
    Locked L(ListLock);
    for (OwnThread *T = Running; T; T = T->Next)
      T->stop();
  }
  // Waits until the C library has also registered that they have ended.
  const uint64_t Begin = monotonicNs();
  for (uint64_t Pause = 20000; monotonicNs() - Begin < kPatienceNs;) {
    const uint32_t Count = countLibraryThreads();
    if ((Count ? Count : countRunningTasks()) <= 1)
      return;
    sleepNs(Pause);
    Pause = Pause < 2000000 ? Pause * 2 : Pause;
  }
}

bool OwnThread::launch() {
  IsLast = false;
  {
    Locked L(Process.Mutex);
    expectOwnThread(true);
  }
  __atomic_fetch_add(&StartingCount, 1, __ATOMIC_RELEASE);
  suspend(Thread); // ignore the C library's allocations for our thread
  pthread_t Id;
  Launching = {this, &Id};
  const bool Started = startThread(StackBytes, enter, this, Id);
  Launching = {};
  resume(Thread);
  if (!Started) {
    __atomic_fetch_sub(&StartingCount, 1, __ATOMIC_RELEASE);
    Locked L(Process.Mutex);
    expectOwnThread(false);
  }
  return Started;
}

bool OwnThread::start(const char *ThreadName, size_t Bytes, void (*Run)(void *),
                      void *With) {
  uint32_t Last = load(Ended);
  const uint32_t Mine = Last + 1;
  if (!__atomic_compare_exchange_n(&Begun, &Last, Mine, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED))
    return true;
  Name = ThreadName;
  StackBytes = Bytes;
  Body = Run;
  Context = With;
  if (launch())
    return true;
  __atomic_store_n(&Ended, Mine, __ATOMIC_RELEASE);
  return false;
}

bool OwnThread::isCalling() const { return Current == this; }

static void wake(uint32_t &Wakes) {
  __atomic_fetch_add(&Wakes, 1, __ATOMIC_RELEASE);
  wakeAll(Wakes);
}

uint32_t OwnThread::stop() {
  const uint32_t Run = load(Begun);
  if (isCalling()) {
    __atomic_store_n(&OwnStop, Run, __ATOMIC_RELEASE);
    return Run;
  }
  for (uint32_t Before = load(StopUpTo); !isAtLeast(Before, Run);)
    if (__atomic_compare_exchange_n(&StopUpTo, &Before, Run, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      break;
  wake(Wakes);
  return Run;
}

bool OwnThread::isToPause() { return load(Pausing) != 0; }

void OwnThread::sleepUntil(uint64_t MonotonicNs) {
  for (;;) {
    const uint32_t Before = load(Wakes);
    const uint64_t Now = monotonicNs();
    if (isStopped() || isToPause() || Now >= MonotonicNs)
      return;
    const uint64_t Left = MonotonicNs - Now;
    waitWhile(Wakes, Before, Left < kLookNs ? Left : kLookNs);
    if (areAlone(0)) {
      IsLast = true;
      stop();
    }
  }
}

bool OwnThread::join(uint32_t Run, uint64_t MostNs) {
  const uint64_t Begin = monotonicNs();
  for (uint64_t Pause = 20000; !isAtLeast(load(Ended), Run);) {
    if (monotonicNs() - Begin >= MostNs)
      return false;
    sleepNs(Pause);
    Pause = Pause < 2000000 ? Pause * 2 : Pause;
  }
  return true;
}

void OwnThread::leave() {
  retire(/*Paused=*/false);
  *Gone = true;
  __atomic_store_n(&Ended, load(Begun), __ATOMIC_RELEASE);
}

bool OwnThread::pauseAll() {
  if (load(RunningCount) + load(StartingCount) == 0 || Current)
    return false;
  const uint64_t Begin = monotonicNs();
  const auto Wait = [Begin] {
    sleepNs(20000);
    return monotonicNs() - Begin < kPatienceNs;
  };
  while (load(StartingCount) != 0 && Wait()) {
  }
  if (!areAlone(1))
    return false;
  __atomic_store_n(&Pausing, 1, __ATOMIC_RELEASE);
  {
    Locked L(ListLock);
    for (OwnThread *T = Running; T; T = T->Next)
      wake(T->Wakes);
  }
  while (load(RunningCount) != 0 && Wait()) {
  }
  // Waits until they have also ended for the kernel.
  for (const OwnThread *T = Paused; T; T = T->Next)
    while (threadExists(Process.Pid, T->Tid) && Wait()) {
    }
  __atomic_store_n(&Pausing, 0, __ATOMIC_RELEASE);
  return true;
}

void OwnThread::resumeAll() {
  for (;;) {
    OwnThread *T;
    {
      Locked L(ListLock);
      T = Paused;
      if (!T)
        return;
      Paused = T->Next;
    }
    if (!T->launch()) {
      T->stop();
      __atomic_store_n(&T->Ended, load(T->Begun), __ATOMIC_RELEASE);
    }
  }
}

void OwnThread::forget() {
  *this = {};
  ListLock.reset();
  Running = Paused = nullptr;
  RunningCount = StartingCount = Pausing = 0;
}

} // namespace inmem::rt
