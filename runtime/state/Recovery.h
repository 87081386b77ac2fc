//===- Recovery.h - When a jump has left the runtime half-way -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A signal handler may interrupt the runtime at any instruction and never
// return to it: siglongjmp, an exception, setcontext. The guard and locks of
// the abandoned frames would then stay set forever. The thread's next event on
// a slow path notices that, releases them and repairs incomplete updates. The
// abandoned event may be missing.
//
// A frame is known to be gone if its memory was overwritten or unmapped, or if
// its stack is now in use above it. A context that a handler has left by
// swapcontext has none of these signs and may continue, so its thread's events
// are dropped until it does. If nothing is known, the frame is assumed to be
// alive: dropped events are better than a corrupted trace.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RECOVERY_H
#define INMEM_RUNTIME_RECOVERY_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// Releases the thread's guard and locks and returns true if the frame that set
/// the guard is gone. \p Frame is an address in the caller's frame, below the
/// frames of all its callers. Keeps errno.
INMEM_COLD bool recover(ThreadState &T, uintptr_t Frame);

/// True if this event arrives while the thread is inside the runtime.
INMEM_INLINE bool isInside(ThreadState &T) {
  return INMEM_UNLIKELY(T.Inside.Guard != 0) &&
         !recover(T, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}

/// As recover(), for an event that was counting (hot/Cells.h).
INMEM_COLD void recoverCountingAt(ThreadState &T, uintptr_t Frame);
INMEM_INLINE void recoverCounting(ThreadState &T) {
  if (INMEM_UNLIKELY(T.Inside.CountingAt != 0) && T.Inside.Guard == 0)
    recoverCountingAt(T,
                      reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}

} // namespace inmem::rt

#endif
