//===- OwnThread.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads/OwnThread.h"

#include "Runtime.h"
#include "hot/Recorder.h"
#include "platform/Clocks.h"
#include "platform/Lock.h"
#include "threads/ThreadLives.h"

namespace inmem::rt {

namespace {

/// How often our threads check whether they are alone, and how long the
/// program's last thread waits for them.
constexpr uint64_t kLookNs = 250000000, kPatienceNs = 1000000000;

constinit Lock ListLock = {};
constinit OwnThread *Running = nullptr;
constinit uint32_t RunningCount = 0;
constinit __thread bool IsOwn __attribute__((tls_model("initial-exec"))) =
    false;

/// Whether only our threads and \p Others more are left.
bool areAlone(uint32_t Others) {
  const uint32_t Ours =
      __atomic_load_n(&RunningCount, __ATOMIC_ACQUIRE) + Others;
  if (const uint32_t Count = countLibraryThreads())
    return Count <= Ours;
  // Saves the system call while known threads are running.
  if (Process.ThreadCount > Ours)
    return false;
  const uint32_t Tasks = countRunningTasks();
  return Tasks != 0 && Tasks <= Ours;
}

} // namespace

static void set(uint32_t &Word) {
  __atomic_store_n(&Word, 1, __ATOMIC_RELEASE);
  wakeAll(Word);
}

void *OwnThread::enter(void *Argument) {
  auto &Self = *static_cast<OwnThread *>(Argument);
  ThreadState &T = Thread;
  setThreadName(Self.Name);
  {
    Guarded G(T);
    Locked L(Process.Mutex);
    addOwnThread();
  }
  IsOwn = true;
  bool Gone = false;
  Self.Gone = &Gone;
  Self.enlist();
  const uint32_t Suspended = T.Suspended;
  Self.Body(Self.Context);
  if (Gone)
    return nullptr;
  if (Self.IsLast) { // exit handlers, the program's too, may run on this thread
    T.Suspended = Suspended;
    setGuard(T, 0);
  }
  Self.retire();
  set(Self.Ended);
  return nullptr;
}

void OwnThread::enlist() {
  Guarded G(Thread);
  Locked L(ListLock);
  Next = Running;
  Running = this;
  __atomic_store_n(&RunningCount, RunningCount + 1, __ATOMIC_RELEASE);
}

void OwnThread::retire() {
  Guarded G(Thread);
  Locked L(ListLock);
  for (OwnThread **Link = &Running; *Link; Link = &(*Link)->Next)
    if (*Link == this) {
      *Link = Next;
      __atomic_store_n(&RunningCount, RunningCount - 1, __ATOMIC_RELEASE);
      return;
    }
}

void OwnThread::endWithLastThread() {
  if (__atomic_load_n(&RunningCount, __ATOMIC_ACQUIRE) == 0 || IsOwn ||
      !areAlone(1))
    return;
  {
    Locked L(ListLock);
    for (OwnThread *T = Running; T; T = T->Next)
      T->stop();
  }
  // Waits until the C library knows, too, that they have ended.
  const uint64_t Begin = monotonicNs();
  for (uint64_t Pause = 20000; monotonicNs() - Begin < kPatienceNs;) {
    const uint32_t Count = countLibraryThreads();
    if ((Count ? Count : countRunningTasks()) <= 1)
      return;
    sleepNs(Pause);
    Pause = Pause < 2000000 ? Pause * 2 : Pause;
  }
}

bool OwnThread::start(const char *ThreadName, size_t StackBytes,
                      void (*Run)(void *), void *With) {
  Name = ThreadName;
  Body = Run;
  Context = With;
  Stopped = Ended = 0;
  IsLast = false;
  {
    Locked L(Process.Mutex);
    expectOwnThread(true);
  }
  suspend(Thread); // the C library allocates for our thread
  const bool Started = startThread(StackBytes, enter, this, Id);
  resume(Thread);
  __atomic_store_n(&Exists, Started, __ATOMIC_RELEASE);
  if (!Started) {
    Locked L(Process.Mutex);
    expectOwnThread(false);
  }
  return Started;
}

bool OwnThread::isCalling() const {
  return exists() && !hasEnded() && pthread_equal(Id, pthread_self());
}

void OwnThread::stop() { set(Stopped); }

void OwnThread::sleepUntil(uint64_t MonotonicNs) {
  for (uint64_t Now; !isStopped() && (Now = monotonicNs()) < MonotonicNs;) {
    const uint64_t Left = MonotonicNs - Now;
    waitWhile(Stopped, 0, Left < kLookNs ? Left : kLookNs);
    if (areAlone(0)) {
      IsLast = true;
      stop();
    }
  }
}

bool OwnThread::join(uint64_t MostNs) {
  const uint64_t Begin = monotonicNs();
  for (uint64_t Pause = 20000; exists();) {
    if (hasEnded()) {
      __atomic_store_n(&Exists, 0, __ATOMIC_RELEASE);
      break;
    }
    if (monotonicNs() - Begin >= MostNs)
      return false;
    sleepNs(Pause);
    Pause = Pause < 2000000 ? Pause * 2 : Pause;
  }
  return true;
}

void OwnThread::leave() {
  retire();
  *Gone = true;
  __atomic_store_n(&Exists, 0, __ATOMIC_RELEASE);
}

void OwnThread::forget() {
  *this = {};
  ListLock.reset();
  Running = nullptr;
  RunningCount = 0;
}

} // namespace inmem::rt
