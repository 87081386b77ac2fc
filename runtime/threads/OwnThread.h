//===- OwnThread.h - A thread of the runtime's own ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes no signals, is no thread of the program (ThreadLives.h), and can be
// waited for without a cancellation point. Valid when zero.
//
// It does not keep the process alive: when the program's last thread ends
// without exit() (pthread_exit in main, say), that tells ours to end and waits
// for them, so that the C library finds it the last one and runs exit handlers
// in it. For ends that nobody saw, ours look from time to time whether they are
// alone.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OWNTHREAD_H
#define INMEM_RUNTIME_OWNTHREAD_H

#include "platform/Tasks.h"

namespace inmem::rt {

class OwnThread {
public:
  /// Runs \p Body with \p Context on a thread named \p Name. \p StackBytes 0:
  /// the default. One thread at a time; false if it cannot be started. Unless
  /// noted otherwise, functions are called with the guard and without the
  /// mutex.
  bool start(const char *Name, size_t StackBytes, void (*Body)(void *),
             void *Context);
  /// From start() until join() has succeeded. Callable at any time.
  bool exists() const {
    return __atomic_load_n(&Exists, __ATOMIC_ACQUIRE) != 0;
  }
  /// It was told to end, or has ended. Callable at any time.
  bool isStopped() const {
    return __atomic_load_n(&Stopped, __ATOMIC_ACQUIRE) != 0;
  }
  /// Whether the calling thread is this one. Callable at any time.
  bool isCalling() const;
  /// Tells it to end and wakes it. Callable at any time.
  void stop();
  /// Cancels stop(). Called on this thread only.
  void goOn() { __atomic_store_n(&Stopped, 0, __ATOMIC_RELEASE); }
  /// Waits for its end, at most \p MostNs. Any number of threads may wait,
  /// without the guard. \returns whether it has ended
  bool join(uint64_t MostNs = UINT64_MAX);
  /// Nobody will wait for it, and this object may be destroyed. Called on this
  /// thread only.
  void leave();
  /// Sleeps until \p MonotonicNs or stop(), which it calls itself once the
  /// program has no threads left. Called on this thread only.
  void sleepUntil(uint64_t MonotonicNs);
  /// After fork, in the child.
  void forget();

  /// The calling thread of the program is about to end: if it is the last one,
  /// stops our threads and waits for them. With the guard, without the mutex.
  static void endWithLastThread();

private:
  static void *enter(void *Self);
  void enlist();
  void retire();
  bool hasEnded() const {
    return __atomic_load_n(&Ended, __ATOMIC_ACQUIRE) != 0;
  }

  pthread_t Id;
  uint32_t Exists, Stopped, Ended;
  bool *Gone;      ///< on its stack: leave() was called
  OwnThread *Next; ///< in the list of running threads
  bool IsLast;     ///< the program has no threads left
  const char *Name;
  void (*Body)(void *);
  void *Context;
};

/// Threads that the C library has started and that have not ended; the process
/// ends with the last of them. 0: unknown.
uint32_t countLibraryThreads();

} // namespace inmem::rt

#endif
