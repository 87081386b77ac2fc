//===- Recorder.h - Counting an event: the hot path -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by Hooks.cpp right after an allocation and right before a free. No
// lock, no hash, no system call, no shared counter: the site record, this
// thread's slot, row and cells, and the live index. Everything else (first use
// of a site, sampling, mode=trace, a stopped recorder, the guard) finds slots
// that are 0 and takes a slow path.
//
// Names of functions:
//
//   allocated..  the block is there: records it, returns its address
//   freed..      records that a block ends; the caller frees its memory or has
//                done so
//   free..       freed.., then frees the memory
//   count..      adds to the counters of a row or cell, nothing else
//   ..Slow       slot not set up, or an event that needs more than counters
//   ..Closed     fast path closed on this thread: its mode decides
//   ..StepByStep the general case, under the guard: the other slow paths are
//                shorter ways for one mode (..Traced, ..Stacked, ..Noted)
//
// Who allocates                fast path          slow path
//
//   instrumented code          allocated          allocatedSlow
//   .. on behalf of callers    allocatedFrom      allocatedFromSlow, ..Closed
//   other code                 allocatedByCaller  allocatedByCallerSlow,
//                                                 ..Closed
//     after __inmem_expect                        allocatedExpected
//   realloc, instrumented      reallocated        reallocatedSlow
//   .. on behalf of callers    reallocatedFrom    reallocatedFromClosed
//
// Each counts block and bytes in the row of the site, adds the bytes to the
// cells of the type and of the process, and enters the block in the index.
//
// Which block ends             fast path          slow path
//
//   small, lifetime not timed  freeSmall          freeSlow
//   any other block            freeBlock          freeSlow
//     a cell is past its limit                    freePastLimit, for the rest
//     the lifetime is timed                       freeTimed, for the rest
//   with clock=exact           freedFast          freeSlow
//   memory that others free    freed              freedSlow
//     (realloc, operator delete of the program)
//
// Each subtracts what the allocation added to cells and counts the end in the
// row. The hook has taken the block out of the index (Hooks.cpp): freeDirect
// looks its address up, freeFromSideTable finds it in the side table, and
// freeRecorded takes addresses that cannot be looked up directly. freeUnknown
// frees memory that is not recorded.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RECORDER_H
#define INMEM_RUNTIME_RECORDER_H

#include "hot/Allocate.h"
#include "hot/Free.h"
#include "hot/Retag.h"
#include "hot/Suspension.h"

#endif
