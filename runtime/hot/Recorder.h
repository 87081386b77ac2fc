//===- Recorder.h - Counting an event: the hot path -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called by Hooks.cpp right after an allocation and right before a free. No
// lock, no hash, no system call, no shared counter: the site record, this
// thread's slot, row and cells, and the live index. Everything else (first use
// of a site, sampling, mode=trace, a stopped recorder, the guard) finds slots
// that are 0 and takes a slow path.
//
// Names say the case; no two functions here share one.
//
//   record   the block is there (or, a free, about to go): counts the event
//   free     counts the end of a block, then frees its memory
//   enter    counts an allocation in a row, and enters the block in the index
//   count    adds to the counters of rows and cells
//
//   Site     instrumented code, counted for its site
//   Path     instrumented code that allocates for its callers: the site and
//            its caller (CallerPaths.h)
//   Caller   other code: the calling instruction, or the site that
//            __inmem_expect announced
//   ..Again  a realloc of these: keeps the type that the old block had
//
// An allocation takes the first of these that applies (Allocate.h, and from
// the second line on Allocate.cpp):
//
//   recordSite          fast path open, slot set up
//   recordSiteSlow      chooses one of the next by the thread's mode
//   recordTraced        mode=trace
//   recordStacked       stacks= or frees=: the cache knows the stack
//   recordNewStack      it does not; the thread's first event of a stack
//   skipsNext           every=, sample_bytes=: not recorded
//   recordStepByStep    the rest, under the guard: first event of a site or
//                       thread, filters, scopes, an event inside another one
//
//   recordPath, -Slow   for callers: the path is direct, is a chain
//   recordUnknownPath   the path is in the thread's tables
//   recordPathClosed    fast path closed, or the path is walked: as above
//
//   recordCaller        the calling instruction has a row
//   recordCallerClosed  fast path closed
//   recordExpected      __inmem_expect announced the site
//   recordCallerSlow    the rest, step by step
//
// A free takes the first of these (Free.h, Free.cpp). Where others free the
// memory (realloc, operator delete of the program), recordFree and
// recordFreeSlow count it.
//
//   freeSmall             small, lifetime not timed
//   freeTimedSmall        small, timed
//   freeAny               any other block
//   freePastProcessLimit  the process's cell exceeded its limit
//   freePastTypeLimit     the type's cell did
//   freeTimed             the lifetime is timed
//   freeTimedByEvents     .. with clock=events
//   freeSlow              slot not set up, or the fast path closed
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
