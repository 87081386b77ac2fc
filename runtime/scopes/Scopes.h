//===- Scopes.h - Counting between two points of the program --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scope_api.h. A counting scope is a copy of the threads' rows at its start
// and a difference at its end: events in between know nothing of it. Observing
// scopes and budgets close their thread's fast path while they are open; then
// the recorder calls in here for each event. All of a thread's scopes and
// budgets are linked into its ThreadState, which nobody else touches. Those of
// all threads, or of another one, are shared: they close everybody's fast path,
// and have a lock of their own.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SCOPES_H
#define INMEM_RUNTIME_SCOPES_H

#include "index/LiveIndex.h"
#include "state/ThreadState.h"

struct inmem_budget;
struct inmem_excess;

namespace inmem::rt {

/// A block of \p Size bytes was just counted at \p P, under site \p Id; its
/// life is timed. With the guard.
INMEM_COLD void watchAllocation(ThreadState &T, void *P, uint64_t Size,
                                uint32_t Id);
/// The block \p B at \p P was just counted as freed.
INMEM_COLD void watchFree(ThreadState &T, void *P, Block B);
/// The block \p B at \p P was moved from site \p From to the one in \p B.
INMEM_COLD void watchMove(ThreadState &T, void *P, Block B, uint32_t From);
/// The thread's cell of live bytes is about to be flushed.
INMEM_COLD void watchFlush(ThreadState &T, const trace::Cell &C);
/// A thread got the block of rows \p B, which holds its thread pointer: scopes
/// that wait for it begin to count. With the mutex.
void beginAwaited(ThreadRows &B);
/// The thread ends: its scopes stop counting.
void dropScopes(ThreadState &T);

/// After fork, in the child.
void forgetScopes();

/// After an allocation that exceeded a budget, outside the guard: notifies the
/// budget. \p MayThrow: an operator new that may throw made it.
INMEM_COLD void actOnExcess(ThreadState &T, void *P, bool MayThrow);
/// Releases what the calling thread left held by a jump (Recovery.h).
void releaseScopeLocks(ThreadState &T);
/// The thread has done so, for a budget that may then end. Called from
/// resume().
INMEM_COLD void leaveSharedBudget(ThreadState &T);

} // namespace inmem::rt

#endif
