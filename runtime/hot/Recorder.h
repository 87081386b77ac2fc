//===- Recorder.h - Counting an event: the hot path -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by Hooks.cpp right after an allocation and right before a free. No
// lock, no hash, no system call, no shared counter: the site record, this
// thread's slot, row and cells, and the live index. Everything else (first use
// of a site, sampling, mode=trace, a stopped recorder, the guard) finds slots
// that are 0 and takes a slow path.
//
// One rule gives the names. The first part says what a function does, the last
// why it is not the short one; overloads say where the event comes from.
//
//   allocated    the block is there: records it, returns its address
//   freed        records that a block ends; the caller frees its memory or has
//                done so
//   free..       records it, then frees the memory
//   count..      adds to the counters of a row or cell, nothing else
//
//   ..Slow       slot not set up, or an event that needs more than counters
//   ..Closed     fast path closed on this thread: its mode decides
//   ..StepByStep the general case, under the guard: the other slow paths are
//                shorter ways for one mode (..Traced, ..Stacked, ..Noted)
//
// Who allocates                overload          is counted for
//
//   instrumented code          Site              the site
//   .. on behalf of callers    Site, Back        the site and its caller
//   other code                 ReturnAddress     the calling instruction
//     after __inmem_expect     (..Expected)      the site that was announced
//   realloc, each of these     .., OldSite       the one of both with a type
//
// Each has allocated on the fast path; allocatedSlow or allocatedClosed takes
// what that cannot. It counts block and bytes in the row, adds the bytes to the
// cells of the type and of the process, and enters the block in the index.
//
// Which block ends             fast path         else             frees
//
//   small, lifetime not timed  freeSmall         freeSlow         it does
//   any other block            freeBlock         freeSlow         it does
//     a cell is past its limit                   freePastLimit    it does
//     the lifetime is timed                      freeTimed        it does
//   memory that others free    freed             freedSlow        the caller
//     (realloc, operator delete of the program)
//
// Each subtracts from the cells what the allocation added and counts the end in
// the row. The hook has taken the block out of the index (Hooks.cpp):
// freeDirect looks its address up, freeFromSideTable finds it in the side
// table, and freeRecorded takes addresses that cannot be looked up directly.
// freeUnknown frees memory that is not recorded.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RECORDER_H
#define INMEM_RUNTIME_RECORDER_H

#include "hot/Allocate.h"
#include "hot/Free.h"
#include "hot/Retag.h"
#include "hot/Suspension.h"

#endif
