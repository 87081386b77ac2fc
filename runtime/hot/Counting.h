//===- Counting.h - Events in signal handlers that interrupt a count ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On x86-64 one instruction adds to a counter, so a signal handler's events may
// count in the rows of the event that it interrupts. On AArch64 it takes three,
// and what the handler adds between them would be overwritten. There, an event
// shows while it counts; the handler's leave the fast path, count in rows of
// their own, and add live bytes to the totals.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_COUNTING_H
#define INMEM_RUNTIME_COUNTING_H

#include "state/ThreadState.h"

namespace inmem::rt {

#if defined(__x86_64__)
inline constexpr bool kAddsAtOnce = true;
#else
inline constexpr bool kAddsAtOnce = false;
#endif

/// The thread's event counts while this exists, in rows and cells that only it
/// writes.
class Counting {
public:
  INMEM_INLINE explicit Counting(ThreadState &T) : T(T) {
    if constexpr (!kAddsAtOnce) {
      Outer = T.CountingAt;
      // In the hooks this is a register.
      T.CountingAt = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
      orderStores();
    }
  }
  INMEM_INLINE ~Counting() {
    if constexpr (!kAddsAtOnce) {
      orderStores();
      T.CountingAt = Outer;
    }
  }
  Counting(const Counting &) = delete;
  Counting &operator=(const Counting &) = delete;

private:
  ThreadState &T;
  uintptr_t Outer = 0;
};

/// True if this event interrupted one that counts. False on x86-64.
INMEM_INLINE bool interruptsCount(const ThreadState &T) {
  return !kAddsAtOnce && INMEM_UNLIKELY(T.CountingAt != 0);
}
/// True if this event interrupted another one that must not be: inside the
/// runtime, or counting.
INMEM_INLINE bool interruptsEvent(const ThreadState &T) {
  return kAddsAtOnce ? T.Guard != 0 : (T.Guard | T.CountingAt) != 0;
}

} // namespace inmem::rt

#endif
