//===- SlowPath.h - Inside the runtime, off the fast path -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_SLOWPATH_H
#define INMEM_RUNTIME_SLOWPATH_H

#include "platform/Errors.h"
#include "state/Features.h"
#include "state/Recovery.h"
#include "state/ThreadState.h"

namespace inmem::rt {

/// True once the process has exited normally and its trace is sealed. Each
/// later event takes the slow path, which breaks and renews the seal.
INMEM_HIDDEN extern Relaxed<bool> KeptSealed;

/// Marks the thread as inside the runtime: sets the guard, and restores errno
/// at the end.
class SlowPath {
public:
  explicit SlowPath(ThreadState &T) : T(T), G(T) {
    if (INMEM_UNLIKELY(KeptSealed) && G.isOutermost())
      kFeatures.BreakSeal(T);
  }
  ~SlowPath() {
    if (INMEM_UNLIKELY(KeptSealed) && G.isOutermost())
      kFeatures.RenewSeal(T);
  }

protected:
  ThreadState &T;
  Guarded G;
  SavedErrno Kept;
};

/// As SlowPath, for an event of the program. Converts to false if the event
/// interrupted another one, as in a signal handler, and must be dropped.
class SlowEvent : public SlowPath {
public:
  INMEM_INLINE explicit SlowEvent(ThreadState &T) : SlowPath(recovered(T)) {}
  explicit operator bool() const { return G.isOutermost(); }

private:
  static INMEM_INLINE ThreadState &recovered(ThreadState &T) {
    isInside(T); // clears a guard whose frame is gone
    recoverCounting(T);
    return T;
  }
};

} // namespace inmem::rt

#endif
