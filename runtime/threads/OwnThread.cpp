//===- OwnThread.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads/OwnThread.h"

#include "Runtime.h"
#include "hot/Recorder.h"
#include "platform/Clocks.h"
#include "platform/Lock.h"
#include "threads/ThreadLives.h"

namespace inmem::rt {

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

void OwnThread::sleepUntil(uint64_t MonotonicNs) const {
  for (uint64_t Now; !isStopped() && (Now = monotonicNs()) < MonotonicNs;)
    waitWhile(Stopped, 0, MonotonicNs - Now);
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
