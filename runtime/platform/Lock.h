//===- Lock.h - Waiting by futex ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_LOCK_H
#define INMEM_RUNTIME_LOCK_H

#include <stdint.h>

namespace inmem::rt {

/// Guards short critical sections of slow paths. Valid when zero; not
/// recursive: callers hold the thread's guard, so nested events never get here,
/// and a fork in a signal handler knows that a lock may be held.
/// INMEM_CHECK_LOCKS checks that. Keeps errno.
///
/// A thread that finds itself the holder has left the critical section by a
/// longjmp out of a signal handler, and takes the lock over. So each store in a
/// section must leave its data consistent, or the next holder must repair it.
class Lock {
public:
  void acquire();
  void release();
  void reset() { Holder = 0; }
  /// True if the calling thread holds it, perhaps from a frame that no longer
  /// exists.
  bool isOwn() const;
  /// Releases it if so.
  void releaseOwn() {
    if (isOwn())
      release();
  }

private:
  /// The holder's thread pointer, plus 1 if threads sleep; 0: free.
  uint64_t Holder = 0;
};

class Locked {
public:
  explicit Locked(Lock &L) : L(L) { L.acquire(); }
  ~Locked() { L.release(); }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  Lock &L;
};

#ifdef INMEM_CHECK_LOCKS
/// Returns true if the calling thread holds its guard (ThreadState.cpp sets
/// it).
extern bool (*HoldsGuard)();
#endif

/// Sleeps while \p Word is \p Value, until wakeAll() or a signal, but at most
/// \p Ns.
void waitWhile(const uint32_t &Word, uint32_t Value, uint64_t Ns);
void wakeAll(const uint32_t &Word);

} // namespace inmem::rt

#endif
