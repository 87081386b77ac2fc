//===- SampleCounts.h - Sums of samples -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of samples by stack, thread and state, in the mapped trace. Only the
// profiler's thread counts, without the mutex unless a function says otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SAMPLECOUNTS_H
#define INMEM_RUNTIME_SAMPLECOUNTS_H

#include "profiler/Profiler.h"
#include "profiler/SampledThread.h"

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

// ThreadStates.cpp: A thread's wait, according to the kernel.

struct ThreadStateNow {
  bool Known;        ///< false: the kernel does not report it
  bool Running;      ///< running, or ready to run
  int32_t Call;      ///< system call number; -1: not in a call
  uint64_t Argument; ///< the call's first argument
  uintptr_t Sp, Pc;
};

ThreadStateNow stateOf(uint32_t Tid);
/// True if the call that the thread waits in may receive a signal that it
/// blocks, as sigwait() does, or read() of a signalfd. False only if it
/// certainly does not.
bool mayTakeSignals(const ThreadStateNow &S);
/// True if the thread blocks \p Signal.
bool blocksSignal(uint32_t Tid, int Signal);
/// True if \p Signal is pending for that thread.
bool hasPendingSignal(uint32_t Tid, int Signal);

/// The object that a system call waits for: a descriptor's path, a lock's
/// address, or nothing (""). \returns text in \p Into
const char *targetOf(const ThreadStateNow &S, char *Into, size_t Room);

// SampleCounts.cpp: Sums of samples.

/// Begins a session of samples. False when out of memory.
bool beginSession(const ProfileSettings &Chosen);
/// Number of the current or last session. Needs the mutex.
uint16_t sessionNumber();
/// Needs the mutex.
bool mayCountSamples();

/// Counts \p Times intervals. \p Stack is a number from takeAnswers, 0:
/// unknown; \p Flags are trace::ProfileFlags.
void countSamples(uint32_t Stack, uint32_t Lifetime, uint32_t Wait,
                  uint32_t Flags, uint64_t Times);
/// Counts \p Times intervals of a thread that was not sampled, in its start
/// function.
void countAtStart(uint32_t Lifetime, uint64_t Times);
/// The id of the object that a thread waits for; 0: it is running.
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
/// Fills \p Out with the \p N-th counts; false if there are no more. Needs the
/// mutex.
bool profiled(uint32_t N, Profiled &Out);

/// Call this after fork, in the child.
void forgetCounts();

} // namespace inmem::rt

#endif
