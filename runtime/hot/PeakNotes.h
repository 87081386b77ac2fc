//===- PeakNotes.h - Each site's counts around the process's peak ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace contains two notes of all rows (PeakRow): the last before the peak
// and the first after it. A site's figures at the peak are between the two.
// Notes are taken when a cell is flushed, so that the fast path has no
// instruction for them. The number of rows read for notes is bounded.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_PEAKNOTES_H
#define INMEM_RUNTIME_PEAKNOTES_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// Call after the process's cell was flushed with \p Live bytes alive and
/// before the event is counted in a row. Takes a note if it is worth its cost.
/// Keeps errno.
void considerPeakNote(int64_t Live);

/// Call at a mark, after which peaks start over. \p Peak: the highest live
/// bytes of the part that ends. With \p Reset, earlier parts no longer count.
/// Needs the mutex.
void endPeakPart(int64_t Peak, bool Reset);

/// Call after fork, in the child, whose trace has no notes.
void forgetPeakNotes();

// Each stack is a site with stacks=, and notes would have many rows. So the
// live bytes of each stack at the peak are written to a separate extent.

/// Notes the live bytes of each site at a new peak of \p Live bytes of the
/// process (stacks=). Keeps errno. Takes the mutex.
void notePeak(int64_t Live);
/// Returns true if the last noted peak is too far below \p Live.
bool isNewPeak(int64_t Live);
/// The slow part of noteNewPeak().
INMEM_COLD void noteNewPeakNow();
/// Calls notePeak() if the allocation just counted has reached a new peak
/// (stacks=).
INMEM_INLINE void noteNewPeak(const ThreadState &T) {
  if (INMEM_UNLIKELY(T.NewPeak != 0))
    noteNewPeakNow();
}
/// Call at a reset, which begins a new part of the run: its first flush takes a
/// note.
void restartSitePeak();
/// Call after fork, in the child, whose trace has no note.
void forgetSitePeak();

} // namespace inmem::rt

#endif
