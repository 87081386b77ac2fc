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

#include <stdint.h>

namespace inmem::rt {

/// The process's cell was flushed with \p Live bytes alive; its event is not in
/// any row yet. Keeps errno.
void considerPeakNote(int64_t Live);

/// A mark starts peaks over, after one of \p Peak bytes; with \p Reset nothing
/// before it counts. With the mutex.
void endPeakPart(int64_t Peak, bool Reset);

/// After fork, in the child, whose trace has no notes.
void forgetPeakNotes();

} // namespace inmem::rt

#endif
