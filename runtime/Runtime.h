//===- Runtime.h - The one process-wide state -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts recording at the first event, whichever thread brings it, also before
// main and before any constructor; carries the process through fork and exit.
// Everything is constinit and never destroyed: events come before the first
// constructor and after the last destructor.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RUNTIME_H
#define INMEM_RUNTIME_RUNTIME_H

#include "Options.h"
#include "platform/Lock.h"
#include "recording/TraceFile.h"
#include "threads/ThreadState.h"

namespace inmem::rt {

/// Plain enum: clang's atomic builtins take no scoped one.
enum Phase : uint32_t {
  Unborn,   ///< nothing happened yet (also: a forked child's first moment)
  Starting, ///< a thread holds the lock and sets things up
  Ready,
  Off ///< mode=off, raised privileges, or no memory: record nothing
};

struct Runtime {
  Phase Stage;
  Relaxed<bool> Recording; ///< between inmem_start and inmem_stop
  bool WasStopped;         ///< Recording was off for a while
  bool Filtered;           ///< sampling or filters: not each allocation counts
  bool WritesEvents;       ///< mode=trace, as long as the trace may grow
  Options Config;
  TraceFile Trace;
  /// Guards all of this, the registry, the list of threads and the trace's
  /// growth. Taken on slow paths only, always with the guard set.
  Lock Mutex;
  uint32_t Pid;
  Relaxed<uint32_t> ThreadCount; ///< live, for the cells' limits
  /// Of this process, or of the one that it was forked of.
  uint64_t StartMonotonicNs, StartTicks;
  bool HardwareClock;
  /// clock=events: bytes and allocations that threads have told so far. On a
  /// line of their own: all threads read them.
  struct alignas(64) {
    uint64_t Bytes, Allocations;
  } Events;
  Relaxed<int64_t>
      HighSinceReturn; ///< of LiveBytes, since returnIndex last looked
  Relaxed<bool>
      ReturningIndex;     ///< it looks now: do not begin to write an entry
  uint64_t AddressKey[2]; ///< addresses=hash
  /// Sites up to this one were numbered before the last fork: their blocks
  /// are the parent's and are not counted when this process frees them.
  uint32_t InheritedSites;
};
INMEM_HIDDEN extern Runtime Process;

/// Makes the process ready to record; false if it is off. Takes the mutex
/// itself. The thread's guard must be set.
bool ensureStarted();

/// Refreshes the header's clock readings, so that a trace that ends here can
/// convert its ticks. With the mutex held.
void updateClock();

/// A run-time address as it may stand in the trace.
uint64_t traceAddress(uint64_t Address);

/// Anonymous memory that is never freed. With the mutex held; null when the
/// system refuses. Zeroed, 16-byte aligned.
void *arenaAllocate(size_t Bytes);
/// A copy of \p S there; null as above.
char *copyText(const char *S);

/// What ends a process in order: flushes, seals the trace, writes the report.
/// May be called more than once; events may come afterwards and still count.
void finish(bool WriteReport);

/// The process is about to become another program. If it says true and that
/// fails, goOnAfterExec() takes it back. Both keep errno.
bool endForExec();
void goOnAfterExec();

/// Gives up the seal, if there is one, for the rest of the process: more than a
/// last few events come after its end. With the mutex.
void leaveUnsealed();

} // namespace inmem::rt

#endif
