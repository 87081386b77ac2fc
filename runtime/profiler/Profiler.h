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

#include "inmem/profile_api.h"
#include "profiler/SampledThread.h"
#include "trace/Format.h"

namespace inmem::rt {

struct ProfileOrder {
  trace::ProfileClock Clock;
  uint64_t IntervalNs;
  unsigned Depth;
};

/// Guard set, without the mutex, as all that does not say otherwise. False: it
/// cannot; says why.
bool startProfile(const ProfileOrder &Order);
void stopProfile();
/// What profile= asks for, once.
void startProfileOption();
/// The calling thread is the program's: it is sampled from here on, if any are.
void enlistThread();
/// The calling thread is about to end. Intervals since it was last asked are
/// counted as lost: many threads live for less than the kernel's tick.
void retireThread();

/// Another process asks for it: "200ms,cpu,64", any of which may be missing,
/// or that it ends. With the mutex: it is done by the next
/// applyProfileOrders().
void orderProfile(bool On, const char *Text);
void applyProfileOrders();

/// The process is about to end. Also without the guard. \returns whether
/// nobody is asked any more.
bool endProfile();
/// No question is under way from here on: the next program would not know the
/// signal. Takes it back. Without the mutex.
void endProfileForExec();
void goOnWithProfile();
/// After fork, in the child: nobody samples here.
void forgetProfile();

/// What is counted under one key.
struct Profiled {
  trace::ProfileCell *Cell; ///< in the trace
  const uintptr_t *Frames;  ///< innermost first
  unsigned Depth;
  int32_t Call;
  const char *Target;
  bool IsCurrent; ///< of the clock and the interval of the last session
};
/// The \p N-th, from 0; false: there are no more. With the mutex.
bool profiled(uint32_t N, Profiled &Out);

} // namespace inmem::rt

#endif
