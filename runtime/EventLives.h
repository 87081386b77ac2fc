//===- EventLives.h - clock=events: lives counted in allocations ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With clock=events a block's life has two lengths that are the same in every
// run: the bytes that the process allocated meanwhile, which go the way of all
// lifetimes (LiveIndex.h, Row), and the number of allocations, which is kept
// here: births in a table beside the live index, lives in rows of their own.
// Only this clock touches, or pays for, any of it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_EVENTLIVES_H
#define INMEM_RUNTIME_EVENTLIVES_H

#include "LiveIndex.h"
#include "ThreadState.h"

namespace inmem::rt {

/// The block at \p P, which is in the index, is the process's newest.
void countBirth(void *P);

/// The block \p B at \p P, taken out of the index, ends. The thread has a slot
/// for its site. With the guard and without the mutex.
void countEnd(ThreadState &T, void *P, const Block &B);

} // namespace inmem::rt

#endif
