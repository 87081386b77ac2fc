//===- Cells.h - Live bytes of a thread, and totals -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread counts live bytes in a cell for each type and one for all. It
// flushes a cell to the total once that is past its limit; totals know the
// peaks.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_CELLS_H
#define INMEM_RUNTIME_CELLS_H

#include "registry/SiteRegistry.h"
#include "state/ThreadRows.h"

namespace inmem::rt {

/// Gives \p B a cell for \p Type; null without room. With the mutex.
trace::Cell *addCell(ThreadRows &B, uint32_t Type);
/// Flushes all of the thread's cells to the totals. It must have rows.
void flushCells(ThreadState &T);
/// Begins a new part of the run for peaks. Calls \p Ended with each type and
/// its highest live bytes in the part that ends. Other threads flush at their
/// next event; what a thread in the middle of one holds back may count for
/// either part. With the mutex. \returns the highest live bytes of the process
/// in that part
template <class Visitor> int64_t beginPeaksAnew(Visitor Ended);
/// The same for one type, or kProcessCell.
int64_t beginPeakAnew(uint32_t Type);
/// Adds what cells know of peaks to the totals. With the mutex.
void gatherPeaks();

template <class Visitor> int64_t beginPeaksAnew(Visitor Ended) {
  gatherPeaks();
  for (uint32_t Type = 0; Type <= typeCount(); ++Type)
    Ended(Type, beginPeakAnew(Type));
  return beginPeakAnew(trace::kProcessCell);
}

} // namespace inmem::rt

#endif
