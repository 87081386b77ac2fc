//===- Recorder.h - Counting an event: the hot path -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by Hooks.cpp right after an allocation and right before a free. No
// lock, no hash, no system call, no shared counter: the site record, this
// thread's slot, row and cells, and the live index. Everything else (first use
// of a site, sampling, mode=trace, a stopped recorder, the guard) finds slots
// that are 0 and takes a slow path.
//
// One rule gives the names: a verb says what is done, its ending why it is not
// the short way. An overload or template argument says for which case, and
// costs nothing at run time.
//
//   allocated    the block is there: records it, returns its address
//   freed        records that a block ends; the caller frees its memory or has
//                done so
//   free         records it, then frees the memory
//   count        adds to the counters of rows and cells
//   enter        counts an allocation, and enters the block in the index
//
//   ..Slow       slot not set up, or an event that needs more than counters
//   ..Closed     fast path closed on this thread: its mode decides
//   ..In<Mode>   as a mode has it: StepByStep is the general case, under the
//                guard; Traced and Stacked are shorter ways
//   ..Rest<Case> what is left of a function that tail-calls a rare case
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
// what that cannot. enterAllocation counts block and bytes in the row, adds the
// bytes to the cells of the type and of the process, and enters the block.
//
// Which block ends             fast path         else             frees
//
//   small, lifetime not timed  freeBlock<Small>  freeSlow         it does
//   any other block            freeBlock         freeSlow         it does
//     a cell is past its limit                   freeRest         it does
//     the lifetime is timed                      freeRest         it does
//   memory that others free    freed             freedSlow        the caller
//     (realloc, operator delete of the program)
//
// countFree subtracts from the cells what the allocation added and counts the
// end in the row. The hook has taken the block out of the index (Hooks.cpp):
// freeDirect looks its address up, freeFromSideTable finds it in the side
// table, and freeRecorded takes addresses that cannot be looked up directly.
// giveBack frees memory that is not recorded.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RECORDER_H
#define INMEM_RUNTIME_RECORDER_H

#include "hot/Allocate.h"
#include "hot/Free.h"
#include "hot/Retag.h"
#include "hot/Suspension.h"

#endif
