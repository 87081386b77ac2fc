//===- Recovery.h - When a jump has left the runtime half-way -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signal handler may interrupt the runtime at any instruction and never
// return to it: siglongjmp, an exception, setcontext. The guard and locks of
// the frames that are gone would then stay set for good. The thread's next
// event on a slow path notices that, releases them, and repairs what was half
// done; the event that was left may be missing.
//
// A frame is known to be gone if its memory holds something else or has been
// unmapped, or if the stack that it was on is now in use above it. A context
// that a handler has left by swapcontext looks like none of these, and
// continues where it was: until then its thread's events are dropped. Where it
// cannot be known, the frame is taken for alive.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RECOVERY_H
#define INMEM_RUNTIME_RECOVERY_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// Releases what the thread held if the frame that set the guard is gone. \p
/// Frame is an address in the caller's frame, below the frames of all its
/// callers. \returns whether it was. Keeps errno.
INMEM_COLD bool recover(ThreadState &T, uintptr_t Frame);

/// True if this event arrives while the thread is inside the runtime.
INMEM_INLINE bool isInside(ThreadState &T) {
  return INMEM_UNLIKELY(T.Inside.Guard != 0) &&
         !recover(T, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}

/// As recover(), of an event that was counting (hot/Cells.h).
INMEM_COLD void recoverCountingAt(ThreadState &T, uintptr_t Frame);
INMEM_INLINE void recoverCounting(ThreadState &T) {
  if (INMEM_UNLIKELY(T.Inside.CountingAt != 0) && T.Inside.Guard == 0)
    recoverCountingAt(T,
                      reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}

} // namespace inmem::rt

#endif
