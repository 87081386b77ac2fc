//===- EventLifetimes.h - Lifetimes of clock=events -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With clock=events a block's life has two lengths that are the same in every
// run: the bytes that the process allocated in between, which go the way of all
// lifetimes (LiveIndex.h, Row), and the number of allocations, which is kept
// here: births in a side table of the live index, lives in rows of their own.
// Only this clock touches, or pays for, any of it.
//
// Threads count privately and publish after kTellAfter bytes, or with a larger
// block, so that they do not contend for one counter. A thread's clock is the
// sum of what all have published, plus what it has not yet. It is exact with
// one thread; for each further thread it can lack up to kTellAfter bytes.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_EVENTLIFETIMES_H
#define INMEM_RUNTIME_EVENTLIFETIMES_H

#include "index/LiveIndex.h"
#include "state/Runtime.h"

namespace inmem::rt {

inline constexpr uint64_t kTellAfter = 16 << 10;

/// Reports to the process what the thread has counted.
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
