//===- Runtime.h - The one process-wide state -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is constinit and never destroyed: events happen before the first
// constructor and after the last destructor.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RUNTIME_H
#define INMEM_RUNTIME_RUNTIME_H

#include "options/Options.h"
#include "platform/Lock.h"
#include "state/ThreadState.h"
#include "state/TraceFile.h"

namespace inmem::rt {

/// Unscoped, because clang's atomic builtins reject scoped enums.
enum InitState : uint32_t {
  Unborn,   ///< no event yet (also in a forked child at first)
  Starting, ///< a thread holds the lock and initializes
  Ready,
  Off ///< mode=off, raised privileges, or no memory: record nothing
};

struct Runtime {
  InitState State;
  Relaxed<bool> Recording; ///< between inmem_start and inmem_stop
  bool WasStopped;         ///< Recording was off for a while
  uint32_t Epoch;          ///< the trace's; incremented when attached again
  bool Attached;           ///< by `inmem attach`, or forked from such a process
  bool Filtered;           ///< sampling or filters: not every allocation counts
  bool WritesEvents;       ///< mode=trace, while the trace can still grow
  Options Config;
  TraceFile Trace;
  /// Guards all of this, the registry, the list of threads and the trace's
  /// growth. Taken on slow paths only, always with the guard set.
  Lock Mutex;
  uint32_t Pid;
  Relaxed<uint32_t> ThreadCount; ///< live threads, for cells' limits
  /// The start of this process, or of the process it was forked from.
  uint64_t StartMonotonicNs, StartTicks;
  bool HardwareClock;
  /// clock=events: bytes and allocations that threads have reported so far. On
  /// a cache line of their own: all threads read them.
  struct alignas(64) {
    uint64_t Bytes, Allocations;
  } Events;
  Relaxed<int64_t>
      HighSinceReturn; ///< highest LiveBytes since index pages were returned
  Relaxed<bool>
      ReturningIndex;     ///< pages are being returned: do not start an entry
  uint64_t AddressKey[2]; ///< addresses=hash
  /// Sites up to this one were numbered before the last fork: their blocks
  /// belong to the parent and are not counted when this process frees them.
  uint32_t InheritedSites;
};
INMEM_HIDDEN extern Runtime Process;

/// Points into a page that the kernel empties in a child: 1 in the process that
/// set it (or before any has), 0 in a child until becomeChild() has run. Never
/// null.
INMEM_HIDDEN extern const char *ForkMark;
/// Returns true in a child that was created without pthread_atfork's handlers,
/// by a bare clone system call, and has not noticed it yet.
inline bool isUnnoticedChild() {
  return __atomic_load_n(ForkMark, __ATOMIC_RELAXED) == 0;
}

/// clock=events: the thread's clock, in bytes and in allocations.
INMEM_INLINE uint64_t bytesSoFar(const ThreadState &T) {
  return __atomic_load_n(&Process.Events.Bytes, __ATOMIC_RELAXED) +
         T.Clock.OwnBytes;
}
INMEM_INLINE uint64_t allocationsSoFar(const ThreadState &T) {
  return __atomic_load_n(&Process.Events.Allocations, __ATOMIC_RELAXED) +
         T.Clock.OwnAllocations;
}

/// Makes the process ready to record; false if it is off. Takes the mutex
/// itself. The thread's guard must be set.
bool ensureStarted();

/// Refreshes the header's clock readings, so that readers can convert the ticks
/// of a trace that ends here. Needs the mutex.
void updateClock();

/// Writes the resident size to the header. \returns it; 0 if unknown. \p
/// Highest: also writes the highest so far, which takes some microseconds more.
/// Needs the mutex.
uint64_t noteResidentSize(bool Highest);

/// A run-time address as it appears in the trace: plain or hashed.
uint64_t traceAddress(uint64_t Address);

/// Anonymous memory that is never freed: zeroed, 16-byte aligned, null when the
/// system refuses. Needs the mutex.
void *arenaAllocate(size_t Bytes);
/// A copy of \p S in such memory; null when the system refuses. Needs the
/// mutex.
char *copyText(const char *S);

} // namespace inmem::rt

#endif
