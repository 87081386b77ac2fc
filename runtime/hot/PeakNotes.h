//===- PeakNotes.h - Each site's counts around the process's peak ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two notes of all rows, in the trace (PeakRow): the last before the peak and
// the first after it. What a site had at the peak is between the two. Taken
// where a cell is flushed, which no event of the fast path gets to: that path
// has no instruction for it. How many rows are read for notes is bounded.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_PEAKNOTES_H
#define INMEM_RUNTIME_PEAKNOTES_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// The process's cell was flushed with \p Live bytes alive; its event is not in
/// any row yet. Keeps errno.
void considerPeakNote(int64_t Live);

/// A mark starts peaks over, after one of \p Peak bytes; with \p Reset nothing
/// before it counts. With the mutex.
void endPeakPart(int64_t Peak, bool Reset);

/// After fork, in the child, whose trace has no notes.
void forgetPeakNotes();

// stacks= notes each stack's blocks at the peak in a record by itself: each
// stack is a site, so that rows of notes would be many.

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
