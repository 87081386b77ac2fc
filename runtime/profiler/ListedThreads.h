//===- ListedThreads.h - The threads that are sampled ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_LISTEDTHREADS_H
#define INMEM_RUNTIME_LISTEDTHREADS_H

#include "profiler/Profiler.h"
#include "profiler/SampledThread.h"
#include "state/Runtime.h"
#include "tables/PagedArray.h"

namespace inmem::rt {

/// The settings of sampling, and all SampledThreads ever allocated; those with
/// Tid 0 are free. Changes need the mutex.
struct ListedThreads {
  ProfileSettings How;
  int Signal;
  Relaxed<uint32_t> TakesNew; ///< new threads enlist themselves
  bool LacksTimers; ///< some threads have none: the user's limit was reached
  PagedArray<SampledThread *> All;

  /// Visits each SampledThread in use. Call without the mutex.
  template <class Function> void forEach(Function Do) {
    for (uint32_t I = 0;; ++I) {
      SampledThread *T;
      {
        Locked L(Process.Mutex); // others append during reads
        if (I >= All.Count)
          return;
        T = All[I];
      }
      if (T->Tid != 0)
        Do(*T);
    }
  }
};
extern constinit ListedThreads Sampled;

/// Samples the calling thread, which is the program's, from now on if sampling
/// runs.
void enlistThread();
/// Call when the calling thread is about to end. Intervals since its last
/// sample signal count as lost, because many threads live for less than the
/// kernel's tick.
void retireThread();

/// Adds new threads and drops ended ones. Call without the mutex, on the
/// profiler's thread.
void listThreads();
/// Restarts the timer of \p T if it was stopped for a small stack that no
/// longer exists.
void resumeClock(SampledThread &T);
/// Switches all threads to another signal.
void changeSignal(int Signal);
/// Stops all timers; new threads get none.
void stopClocks();
/// Call this after fork, in the child.
void forgetListedThreads();

} // namespace inmem::rt

#endif
