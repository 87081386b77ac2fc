//===- SampleCounts.h - Sums of samples -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of samples by stack, thread and state, in the mapped trace. Only the
// profiler's thread counts; all but what says otherwise is without the mutex.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SAMPLECOUNTS_H
#define INMEM_RUNTIME_SAMPLECOUNTS_H

#include "profiler/Profiler.h"
#include "profiler/SampledThread.h"
#include "profiler/ThreadStates.h"

namespace inmem::rt {

/// Begins a session of samples. False when out of memory.
bool beginSession(const ProfileSettings &Chosen);
/// Number of the current or last session. With the mutex.
uint16_t sessionNumber();
/// Needs the mutex.
bool mayCountSamples();

/// Counts \p Times intervals. \p Stack is a number from takeAnswers, 0:
/// unknown; \p Flags are trace::ProfileFlags.
void countSamples(uint32_t Stack, uint32_t Lifetime, uint32_t Wait,
                  uint32_t Flags, uint64_t Times);
/// Counts \p Times intervals of a thread that was not asked where it was, in
/// its start function.
void countAtStart(uint32_t Lifetime, uint64_t Times);
/// The id of what a thread waits for; 0: it is running.
uint32_t waitOf(const ThreadStateNow &S);

/// Counts the samples left by a thread's handler.
void takeAnswers(SampledThread &T, const ProfileSettings &How);
/// As takeAnswers(), and counts intervals that will not be answered.
void takeLastAnswers(SampledThread &T, const ProfileSettings &How);

/// Counts of one key.
struct Profiled {
  trace::ProfileCell *Cell; ///< in the trace
  const uintptr_t *Frames;  ///< innermost first
  unsigned Depth;
  int32_t Call;
  const char *Target;
  bool IsCurrent; ///< recorded with the last session's clock and interval
};
/// The \p N-th; false: there are no more. With the mutex.
bool profiled(uint32_t N, Profiled &Out);

/// After fork, in the child.
void forgetCounts();

} // namespace inmem::rt

#endif
