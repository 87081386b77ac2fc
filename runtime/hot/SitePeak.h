//===- SitePeak.h - Each site's blocks at the peak (stacks=) --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_SITEPEAK_H
#define INMEM_RUNTIME_SITEPEAK_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// stacks=: notes what each site has alive when the process is at a new peak of
/// \p Live bytes. Keeps errno. Without the mutex.
void notePeak(int64_t Live);
/// True if the last noted peak is too far below \p Live.
bool isNewPeak(int64_t Live);
/// For noteNewPeak().
INMEM_COLD void noteNewPeakNow();
/// stacks=: after an allocation was counted, does so if it made a peak.
INMEM_INLINE void noteNewPeak(const ThreadState &T) {
  if (INMEM_UNLIKELY(T.NewPeak != 0))
    noteNewPeakNow();
}
/// A reset begins a new part of the run: its first flush takes a note.
void restartSitePeak();
/// After fork, in the child, whose trace has no note.
void forgetSitePeak();

} // namespace inmem::rt

#endif
