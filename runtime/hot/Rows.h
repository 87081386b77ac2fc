//===- Rows.h - Slots and rows of a thread --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_ROWS_H
#define INMEM_RUNTIME_ROWS_H

#include "state/ThreadRows.h"

namespace inmem::rt {

/// clock=events: creates the row for lifetimes in allocations that belongs to
/// the thread's row \p R, if necessary. With the guard, without the mutex; null
/// without room.
trace::Row *addAllocationLives(ThreadState &T, trace::Row &R);

/// The thread's slot of site \p Id, set up. With the mutex; null if there is no
/// room or the site is excluded.
Slot *makeSlot(ThreadState &T, uint32_t Id);

} // namespace inmem::rt

#endif
