//===- SampleCounts.h - What samples add up to ----------------------------===//
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

/// Sampling begins: what is counted from here on is so. False without memory.
bool beginSession(const ProfileOrder &Order);
/// Number of the one that goes on, or was the last. With the mutex.
uint16_t sessionNumber();
/// With the mutex.
bool mayCountSamples();

/// \p Times intervals. \p Stack is what takeAnswers has met, 0: not known;
/// \p Flags are trace::ProfileFlags.
void countSamples(uint32_t Stack, uint32_t Life, uint32_t Wait, uint32_t Flags,
                  uint64_t Times);
/// \p Times intervals of a thread that nobody asked where it was: in the
/// function that it began in.
void countAtStart(uint32_t Life, uint64_t Times);
/// The id of what a thread waits for; 0: it runs.
uint32_t waitOf(const ThreadStateNow &S);

/// Counts the samples that a thread's handler has left.
void takeAnswers(SampledThread &T, const ProfileOrder &How);
/// The same, and intervals whose answer will not come.
void takeLastAnswers(SampledThread &T, const ProfileOrder &How);

/// After fork, in the child.
void forgetCounts();

} // namespace inmem::rt

#endif
