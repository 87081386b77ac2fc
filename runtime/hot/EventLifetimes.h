//===- EventLifetimes.h - Lifetimes of clock=events -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With clock=events a block has two lifetimes that are the same in every run:
// the bytes and the allocations of the process between birth and free. Bytes
// are stored as ticks of other clocks are (LiveIndex.h, Row). Allocations are
// stored here: births in a side table of the live index, lifetimes in separate
// rows. Other clocks never touch these tables.
//
// Threads count privately and publish after kTellAfter bytes, or with a larger
// block, so that they do not contend for one counter. A thread's clock is the
// sum that all threads have published plus its own unpublished count. The clock
// is exact with one thread and can lag by kTellAfter bytes for each further
// thread.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_EVENTLIFETIMES_H
#define INMEM_RUNTIME_EVENTLIFETIMES_H

#include "index/LiveIndex.h"
#include "state/Runtime.h"

namespace inmem::rt {

inline constexpr uint64_t kTellAfter = 16 << 10;

/// Publishes the thread's counts to the process.
INMEM_SLOW void tellEvents(ThreadState &T);

/// chosenEntry() for this clock; the block is its next event.
INMEM_ASIDE IndexEntry eventEntry(trace::Row *R, void *P, uint64_t Size);

/// countLifetime() for this clock. Row::AllocationLifetimes is the file offset
/// / 64 of the row of lifetimes in allocations that belongs to \p R.
void countEventLifetime(void *P, trace::Row *R, Block B);

/// As freeTimed() (Free.h), with clock=events.
INMEM_IN_HOOKS void freeTimedByEvents(void *P, Block B);

} // namespace inmem::rt

#endif
