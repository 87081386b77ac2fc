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
  /// Runs \p Body with \p Context on a thread of name \p Name. \p StackBytes 0:
  /// as the program's threads. With the guard, without the mutex, as
  /// all that does not say otherwise; one thread at a time. False if it cannot
  /// be started.
  bool start(const char *Name, size_t StackBytes, void (*Body)(void *),
             void *Context);
  /// From start() until it was waited for. Any time.
  bool exists() const {
    return __atomic_load_n(&Exists, __ATOMIC_ACQUIRE) != 0;
  }
  /// It is to end, or has ended. Any time.
  bool isStopped() const {
    return __atomic_load_n(&Stopped, __ATOMIC_ACQUIRE) != 0;
  }
  /// Is the calling thread it? Any time.
  bool isCalling() const;
  /// Tells it to end, and wakes it. Any time.
  void stop();
  /// It need not end, after all. Only it may say so.
  void goOn() { __atomic_store_n(&Stopped, 0, __ATOMIC_RELEASE); }
  /// Waits for its end, \p MostNs at the most. Any number of threads may wait,
  /// without the guard. \returns whether it has ended.
  bool join(uint64_t MostNs = UINT64_MAX);
  /// Nobody will wait for it, and this object may go. Only it may say so.
  void leave();
  /// Sleeps until \p MonotonicNs, or until stop(), which it calls itself once
  /// the program has no threads any more. Only it may.
  void sleepUntil(uint64_t MonotonicNs);
  /// After fork, in the child.
  void forget();

  /// The calling thread of the program is about to end: if it is the last one,
  /// all of ours end. With the guard, without the mutex.
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
  bool *Gone;      ///< on its stack: it has left
  OwnThread *Next; ///< of those that run
  bool IsLast;     ///< the program has no threads any more
  const char *Name;
  void (*Body)(void *);
  void *Context;
};

/// How many threads the C library has started that have not ended: it ends the
/// process with the last one. 0: it does not say.
uint32_t countLibraryThreads();

} // namespace inmem::rt

#endif
