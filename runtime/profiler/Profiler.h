//===- Profiler.h - Where threads spend their time ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of the runtime's own asks the program's threads where they are
// (SampledThread.h) and counts the answers in the mapped trace: by stack,
// thread and state. A thread that has not run since it answered is not asked
// again; it is where it was. With clock cpu the kernel asks, by a timer for
// each thread.
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
/// Another process requests samples ("200ms,cpu,64", each part optional) or
/// their end. With the mutex; the next applyProfileRequests() executes it.
void requestProfile(bool On, const char *Text);
void applyProfileRequests();

/// The process is about to end. Callable without the guard. \returns whether no
/// thread is asked any more
bool endProfile();
/// Ensures that no question is pending at exec, since the next program would
/// not know the signal; the other one undoes that. Without the mutex.
void endProfileForExec();
void goOnWithProfile();
/// Releases what the calling thread left held by a jump (Recovery.h).
void releaseProfileLock();
/// Call this after fork, in the child, which is not sampled.
void forgetProfile();

} // namespace inmem::rt

#endif
