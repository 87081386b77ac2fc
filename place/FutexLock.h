//===- FutexLock.h - A lock for the inside of malloc ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A futex lock, valid when zero-initialised. With glibc it costs nothing before
// the second thread starts; musl does not report when that is. The forking
// thread holds all locks, so lock() returns immediately for it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLACE_FUTEXLOCK_H
#define INMEM_PLACE_FUTEXLOCK_H

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define INMEM_PLACE_ALONE __libc_single_threaded
#else
#define INMEM_PLACE_ALONE false
#endif
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) // TSan would see no happens-before
#undef INMEM_PLACE_ALONE
#define INMEM_PLACE_ALONE false
#endif
#endif

namespace inmem::place {

class Lock {
public:
  /// \returns whether the caller must unlock().
  bool lock() {
    if (Forking)
      return false;
    if (INMEM_PLACE_ALONE) {
      State = 1;
      return true;
    }
    uint32_t Seen = 0;
    if (!__atomic_compare_exchange_n(&State, &Seen, 1, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      lockSlowly();
    return true;
  }
  void unlock() {
    if (INMEM_PLACE_ALONE) {
      State = 0;
      return;
    }
    if (__atomic_exchange_n(&State, 0, __ATOMIC_RELEASE) == 2)
      call(FUTEX_WAKE_PRIVATE, 1);
  }
  /// Marks the calling thread as forking: it has locked every lock.
  static void setForking(bool Yes) { Forking = Yes; }

private:
  __attribute__((noinline)) void lockSlowly() {
    for (int Spin = 0; Spin < 100; ++Spin) {
      uint32_t Seen = 0;
      if (__atomic_compare_exchange_n(&State, &Seen, 1, false, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED))
        return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    while (__atomic_exchange_n(&State, 2, __ATOMIC_ACQUIRE) != 0)
      call(FUTEX_WAIT_PRIVATE, 2);
  }
  void call(int Operation, uint32_t Value) {
    const int Errno = errno;
    syscall(SYS_futex, &State, Operation, Value, nullptr, nullptr, 0);
    errno = Errno;
  }
  static inline __thread bool Forking = false;
  uint32_t State = 0; ///< 1: locked; 2: locked, perhaps with waiters
};

class Locked {
public:
  explicit Locked(Lock &Of) : Of(Of), Due(Of.lock()) {}
  ~Locked() {
    if (Due)
      Of.unlock();
  }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  Lock &Of;
  bool Due;
};

} // namespace inmem::place

#endif
