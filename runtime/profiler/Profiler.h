//===- Profiler.h - Where threads spend their time ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of the runtime sends the program's threads sample signals
// (SampledThread.h) and counts their stacks in the mapped trace, by stack,
// thread and state. A thread that has not run since its last sample gets no
// signal, since its stack is unchanged. With clock cpu the kernel sends the
// signals, by a timer for each thread.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_PROFILER_H
#define INMEM_RUNTIME_PROFILER_H

#include "platform/ExportedApi.h"
#include "profiler/SampledThread.h"
#include "trace/format/Format.h"

#include "inmem/profile_api.h"

namespace inmem::rt {

struct ProfileSettings {
  trace::ProfileClock Clock;
  uint64_t IntervalNs;
  unsigned Depth;
};

/// Starts sampling; false with a message if it cannot. Unless noted otherwise,
/// functions are called with the guard and without the mutex.
bool startProfile(const ProfileSettings &Chosen);
void stopProfile();
/// Starts the recording of profile=, once.
void startProfileOption();
/// Takes another process's request to start sampling ("200ms,cpu,64", each part
/// optional) or to end it. Needs the mutex; the next applyProfileRequests()
/// executes it.
void requestProfile(bool On, const char *Text);
void applyProfileRequests();

/// Call when the process is about to end. Callable without the guard. \returns
/// whether no thread gets sample signals any more
bool endProfile();
/// Ensures that no sample signal is pending at exec, since the next program
/// would not know the signal. goOnWithProfile() undoes that. Call without the
/// mutex.
void endProfileForExec();
void goOnWithProfile();
/// Releases a lock that a jump left held by the calling thread (Recovery.h).
void releaseProfileLock();
/// Call this after fork, in the child, which is not sampled.
void forgetProfile();

} // namespace inmem::rt

#endif
