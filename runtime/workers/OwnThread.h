//===- OwnThread.h - A thread of the runtime's own --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of the runtime. It takes no signals, is not a thread of the program
// (ThreadLifetimes.h), and can be waited for without a cancellation point.
// Valid when zero.
//
// It does not keep the process alive. When the program's last thread ends
// without exit() (for example by pthread_exit in main), that thread asks ours
// to end and waits for them. The C library then finds it the last one and runs
// exit handlers in it. In case such an end is not noticed, our threads
// regularly check whether they are alone.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OWNTHREAD_H
#define INMEM_RUNTIME_OWNTHREAD_H

#include "platform/Tasks.h"

#include <stdint.h>

namespace inmem::rt {

class OwnThread {
public:
  /// Runs \p Body with \p Context on a thread named \p Name. \p StackBytes 0:
  /// the default. \returns false if it cannot be started; true also if it runs
  /// already, by any thread's call. Unless noted otherwise, functions are
  /// called with the guard and without the mutex.
  bool start(const char *Name, size_t StackBytes, void (*Body)(void *),
             void *Context);
  /// True from start() until the thread has ended. Callable at any time.
  bool exists() const { return load(Begun) != load(Ended); }
  /// True if it was asked to stop, or has ended. Callable at any time.
  bool isStopped() const {
    const uint32_t Run = load(Begun);
    return isAtLeast(load(StopUpTo), Run) || isAtLeast(load(OwnStop), Run);
  }
  /// True if the calling thread is this one. Callable at any time.
  bool isCalling() const;
  /// Number of the current run, or else of the last one. Callable at any time.
  uint32_t run() const { return load(Begun); }
  /// Stops the current run and wakes its thread. Callable at any time. \returns
  /// the number of that run, for join(): another thread may start the next one
  /// immediately
  uint32_t stop();
  /// Undoes stop() on this thread, but not on another. Called on this thread
  /// only.
  void goOn() { __atomic_store_n(&OwnStop, load(Begun) - 1, __ATOMIC_RELEASE); }
  /// Waits for the end of \p Run, at most \p MostNs. Any number of threads may
  /// wait, without the guard. \returns whether it has ended
  bool join(uint32_t Run, uint64_t MostNs = UINT64_MAX);
  /// Call if no thread will wait for this one; this object may then be
  /// destroyed. Called on this thread only.
  void leave();
  /// Sleeps until \p MonotonicNs, pauseAll() or stop(). Calls stop() itself
  /// once the program has no threads left. Called on this thread only.
  void sleepUntil(uint64_t MonotonicNs);
  /// True if the body must return; it will be called again. Called on this
  /// thread only.
  static bool isToPause();
  /// Call this after fork, in the child.
  void forget();

  /// Call when the calling thread, which is the program's, is about to end: if
  /// it is the last one, stops our threads and waits for them. Needs the guard,
  /// without the mutex.
  static void endWithLastThread();
  /// Wraps our pthread_create() inside the runtime. A sanitizer's
  /// pthread_create(), through which we start threads, passes it a routine that
  /// allocates first; by then the thread must be known to be ours. Calls \p
  /// Create.
  static int createLaunching(CreateFunction *Create, pthread_t *Id,
                             const pthread_attr_t *Attributes,
                             void *(*Routine)(void *), void *Argument);
  /// Ends our threads for a system call that requires a process with one
  /// thread, if the program has only the calling one. \returns whether to call
  /// resumeAll(), which starts them again.
  static bool pauseAll();
  static void resumeAll();

private:
  static uint32_t load(const uint32_t &Word) {
    return __atomic_load_n(&Word, __ATOMIC_ACQUIRE);
  }
  /// Runs are numbered from 1 and wrap around.
  static bool isAtLeast(uint32_t A, uint32_t B) {
    return static_cast<int32_t>(A - B) >= 0;
  }
  /// The thread's first function, called by the C library.
  static void *enterFirst(void *Self);
  static void *enter(void *Self);
  bool launch();
  void enlist();
  void retire(bool Paused);

  uint32_t Begun;    ///< number of the last run
  uint32_t StopUpTo; ///< the last run that another thread stopped
  uint32_t OwnStop;  ///< the last run that stopped itself
  uint32_t Ended;    ///< the last run that has ended
  uint32_t Wakes;    ///< incremented to wake the thread
  uint32_t Tid;
  bool *Gone;      ///< on its stack: set once leave() was called
  OwnThread *Next; ///< in the list of running or paused threads
  bool IsLast;     ///< the program has no threads left
  const char *Name;
  size_t StackBytes;
  void (*Body)(void *);
  void *Context;
  void *(*Routine)(void *); ///< called by enterFirst: enter, or a sanitizer's
  void *RoutineArgument;
};

// LibraryThreads.cpp: Threads as the C library counts them.

/// Threads that the C library has started and that have not ended; the process
/// ends with the last of them. 0: unknown.
uint32_t countLibraryThreads();

} // namespace inmem::rt

#endif
