//===- OwnThread.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads/OwnThread.h"

#include "Runtime.h"
#include "hot/Recorder.h"
#include "threads/ThreadLives.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace inmem::rt {

namespace {

/// Until \p Word is no longer \p Value, a signal, or so long.
void waitFor(const uint32_t &Word, uint32_t Value, uint64_t Ns) {
  struct timespec Left = {static_cast<time_t>(Ns / 1000000000),
                          static_cast<long>(Ns % 1000000000)};
  syscall(SYS_futex, &Word, FUTEX_WAIT_PRIVATE, Value, &Left, nullptr, 0);
}

void set(uint32_t &Word) {
  __atomic_store_n(&Word, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &Word, FUTEX_WAKE_PRIVATE, 1 << 30, nullptr, nullptr, 0);
}

} // namespace

void *OwnThread::enter(void *Argument) {
  auto &Self = *static_cast<OwnThread *>(Argument);
  ThreadState &T = Thread;
  syscall(SYS_prctl, PR_SET_NAME, Self.Name);
  {
    Guarded G(T);
    Locked L(Process.Mutex);
    addOwnThread();
  }
  bool Gone = false;
  Self.Gone = &Gone;
  Self.Body(Self.Context);
  if (!Gone)
    set(Self.Ended);
  return nullptr;
}

bool OwnThread::start(const char *ThreadName, size_t StackBytes,
                      void (*Run)(void *), void *With) {
  Name = ThreadName;
  Body = Run;
  Context = With;
  Stopped = Ended = 0;
  {
    Locked L(Process.Mutex);
    expectOwnThread(true);
  }
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  pthread_attr_t Attributes;
  pthread_attr_init(&Attributes);
  // Not joined by pthread_join: that is a cancellation point, and sanitizers,
  // which do not see that we start it, do not expect it.
  pthread_attr_setdetachstate(&Attributes, PTHREAD_CREATE_DETACHED);
  if (StackBytes)
    pthread_attr_setstacksize(&Attributes, StackBytes);
  suspend(Thread); // the C library allocates for our thread
  const bool Started = pthread_create(&Id, &Attributes, enter, this) == 0;
  resume(Thread);
  pthread_attr_destroy(&Attributes);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
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

void OwnThread::sleepUntil(uint64_t MonotonicNs) const {
  for (uint64_t Now; !isStopped() && (Now = monotonicNs()) < MonotonicNs;)
    waitFor(Stopped, 0, MonotonicNs - Now);
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
  *Gone = true;
  __atomic_store_n(&Exists, 0, __ATOMIC_RELEASE);
}

} // namespace inmem::rt
