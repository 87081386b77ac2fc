//===- OwnThread.h - A thread of the runtime's own ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes no signals, is no thread of the program (ThreadLives.h), and can be
// waited for without a cancellation point. Valid when zero.
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
  /// Sleeps until \p MonotonicNs, or until stop(). Only it may.
  void sleepUntil(uint64_t MonotonicNs) const;
  /// After fork, in the child.
  void forget() { *this = {}; }

private:
  static void *enter(void *Self);
  bool hasEnded() const {
    return __atomic_load_n(&Ended, __ATOMIC_ACQUIRE) != 0;
  }

  pthread_t Id;
  uint32_t Exists, Stopped, Ended;
  bool *Gone; ///< on its stack: it has left
  const char *Name;
  void (*Body)(void *);
  void *Context;
};

} // namespace inmem::rt

#endif
