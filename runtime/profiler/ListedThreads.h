//===- ListedThreads.h - The threads that are sampled ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_LISTEDTHREADS_H
#define INMEM_RUNTIME_LISTEDTHREADS_H

#include "Runtime.h"
#include "profiler/Profiler.h"
#include "profiler/SampledThread.h"
#include "tables/PagedArray.h"

namespace inmem::rt {

/// How threads are asked, and all that there ever were; those of Tid 0 stand
/// for nobody. Changed with the mutex.
struct ListedThreads {
  ProfileOrder How;
  int Signal;
  Relaxed<uint32_t> TakesNew; ///< new threads enlist themselves
  bool LacksTimers;           ///< some have none: the user's limit is reached
  PagedArray<SampledThread *> All;

  /// Each that stands for a thread. Without the mutex.
  template <class Function> void forEach(Function Do) {
    for (uint32_t I = 0;; ++I) {
      SampledThread *T;
      {
        Locked L(Process.Mutex); // others append meanwhile
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

/// Meets threads that are new, and lets go those that have ended. Without the
/// mutex, on the profiler's thread.
void listThreads();
/// \p T has its timer again if it lost it to a small stack that is gone.
void resumeClock(SampledThread &T);
/// All are asked by another signal from now on.
void changeSignal(int Signal);
/// Nobody is asked by a timer any more, and no new thread.
void stopClocks();
/// After fork, in the child.
void forgetListedThreads();

} // namespace inmem::rt

#endif
