//===- Recorder.h - Counting an event: the hot path -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks.cpp calls the recorder right after an allocation and right before a
// free. An event takes no lock, computes no hash, makes no system call and
// touches no counter that threads share. It needs the site's record, this
// thread's slot, row and cells, and the live index. Everything unusual (the
// first event of a site, sampling, mode=trace, a stopped recorder, an event
// inside the runtime) finds a slot that is 0 and takes a slow path.
//
// A verb names what a function does, the noun after it names the case. No two
// functions here share a name, so that a search finds each of them.
//
//   record   counts an event: a block was allocated, or is about to be freed
//   free     counts the end of a block, then frees its memory
//   enter    counts an allocation in a row, and enters the block in the index
//   count    adds to the counters of rows and cells
//
//   Site     instrumented code, counted for its site
//   Path     instrumented code that allocates for its callers: the site and
//            its caller (CallerPaths.h)
//   Caller   other code: the calling instruction, or the site that
//            __inmem_expect announced
//   ..Again  realloc by any of these: keeps the type of the old block
//
// An allocation takes the first of these that applies. The first line of each
// group is in Allocate.h or CallerPaths.h, the others follow in this order in
// Allocate.cpp.
//
//   recordSite          the fast path is open and the slot is set up
//   recordSiteSlow      otherwise: chooses one of the next by the thread's mode
//   recordTraced        mode=trace: also writes an event
//   recordStacked       stacks= or frees=: the thread's cache knows the stack
//   recordNewStack      it does not know the stack
//   skipsNext           every=, sample_bytes=: the block is not recorded
//   recordStepByStep    the general case, under the guard: the first event of a
//                       site or thread, filters, scopes, interrupted events
//
//   recordPath          the return addresses match the node's first path
//   recordPathSlow      they match another path that hooks can compare
//   recordUnknownPath   the path is in the thread's tables
//   recordPathClosed    the fast path is closed, or the path must be unwound:
//                       the thread's mode decides, as in recordSiteSlow
//
//   recordCaller        the calling instruction has a row
//   recordCallerClosed  the fast path is closed
//   recordExpected      __inmem_expect announced the site
//   recordCallerSlow    the general case, under the guard
//
// A free takes the first of these, in Free.h and then in Free.cpp. If another
// function frees the memory (realloc, or an operator delete of the program),
// recordFree and recordFreeSlow count the event.
//
//   freeSmall             the block is small and its lifetime is not timed
//   freeTimedSmall        it is small and timed
//   freeAny               any other block
//   freePastProcessLimit  the process's cell exceeded its limit
//   freePastTypeLimit     the type's cell exceeded its limit
//   freeTimed             the lifetime is timed
//   freeTimedByEvents     it is timed by clock=events
//   freeSlow              the slot is not set up, or the fast path is closed
//
// countFree subtracts from the cells what the allocation added and counts the
// end in the row. The hook has taken the block out of the index (Hooks.cpp):
// freeDirect looks its address up, freeFromSideTable finds it in the side
// table, and freeRecorded takes addresses that cannot be looked up directly.
// giveBack frees memory that is not recorded.
//
// The walk of a size, from the hook of instrumented code to the row that it is
// added to, and on to the index, where the free finds it again. Each function
// is listed where it is first called; runtime_walk checks this list.
//
//   walk: hot/Hooks.cpp       INMEM_DEFINE      the hook, __inmem_malloc
//   walk: hot/Hooks.cpp       doMalloc          calls the allocator
//   walk: hot/Hooks.cpp       recorded          the allocation succeeded
//   walk: hot/Origins.h       record            of FromSite
//   walk: hot/Allocate.h      recordSite        is the slot set up?
//   walk: hot/Allocate.h      announce          protects its entry
//   walk: platform/Compiler.h orderStores
//   walk: hot/Rows.h          idOf              the site's number
//   walk: hot/Rows.h          isBelow           is the fast path open?
//   walk: hot/Cells.h         interruptsCount   never on x86-64
//   walk: platform/Compiler.h hideOrigin
//   walk: hot/Rows.h          slotAt            this thread's row and cell
//   walk: hot/Allocate.h      enterAllocation   counts, then fills the index
//   walk: hot/Cells.h         Counting          does nothing on x86-64
//   walk: hot/Cells.h         raiseLive         the process's live bytes
//   walk: hot/Cells.h         bump              adds in one instruction
//   walk: hot/Allocate.h      countInRow        adds the size to the row
//   walk: hot/Allocate.h      decideTiming      is the lifetime timed?
//   walk: platform/Compiler.h countsBelowZero
//   walk: index/LiveIndex.h   birthIn
//   walk: index/LiveIndex.h   addBlock          enters the block
//   walk: index/LiveIndex.h   entryOf           finds its entry in two steps
//   walk: index/LiveIndex.h   entryIn
//   walk: index/LiveIndex.h   leafAt
//   walk: index/LiveIndex.h   fillEntry         writes site and size
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_RECORDER_H
#define INMEM_RUNTIME_RECORDER_H

#include "hot/Allocate.h"
#include "hot/Free.h"
#include "hot/Retag.h"
#include "hot/Suspension.h"

#endif
