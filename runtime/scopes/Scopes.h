//===- Scopes.h - Scopes and budgets, from events to their ends -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements scope_api.h. A counting scope is the difference between the
// threads' rows at its end and at its start, so it costs events in between
// nothing. Observing scopes and budgets close their thread's fast path while
// they are open; the recorder then calls the functions below for each event.
// All of a thread's scopes and budgets are linked into its ThreadState, which
// only that thread touches. Scopes of all threads, or of another one, are
// shared: they close the fast path of every thread, and have a lock of their
// own.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SCOPES_H
#define INMEM_RUNTIME_SCOPES_H

#include "index/LiveIndex.h"
#include "state/ThreadRows.h"
#include "state/ThreadState.h"

struct inmem_budget;
struct inmem_excess;

namespace inmem::rt {

/// Call when the thread ends: its scopes stop counting.
void dropScopes(ThreadState &T);

/// Call this after fork, in the child.
void forgetScopes();

/// Releases locks that a jump left held by the calling thread (Recovery.h).
void releaseScopeLocks(ThreadState &T);

// CountingScopes.cpp: Scopes that subtract counts.

/// Call before the thread's cell of live bytes is flushed.
INMEM_COLD void watchFlush(ThreadState &T, const trace::Cell &C);
/// Call when a thread has got the rows \p B, with its thread pointer set:
/// scopes that wait for the thread begin to count. Needs the mutex.
void beginAwaited(ThreadRows &B);

/// The rows of the thread with that thread pointer; null if it has none. Needs
/// the mutex.
ThreadRows *rowsOf(uintptr_t ThreadPointer);
/// Records the counts of \p B at the scope's start; false when out of memory.
/// Needs the mutex.
bool copyRows(inmem_scope &S, ThreadRows &B);
/// Updates a counting scope's tallies. Needs the mutex. \returns INMEM_SCOPE_OK
/// or the reason why not
int countDifferences(inmem_scope &S);

// ObservingScopes.cpp: Scopes that follow each block.

/// Call when a block of \p Size bytes was just counted at \p P, under site \p
/// Id, with its lifetime timed. Needs the guard.
INMEM_COLD void watchAllocation(ThreadState &T, void *P, uint64_t Size,
                                uint32_t Id);
/// Call when the block \p B at \p P was just counted as freed.
INMEM_COLD void watchFree(ThreadState &T, void *P, Block B);
/// Call when the block \p B at \p P was moved from site \p From to the one in
/// \p B.
INMEM_COLD void watchMove(ThreadState &T, void *P, Block B, uint32_t From);

/// Drops blocks that another thread freed unnoticed by the scope, so that the
/// rest of Followed is alive. A shared scope is still notified of these frees,
/// unless this is \p Last.
void settle(inmem_scope &S, uint64_t Now, bool Last);

// Budgets.cpp: Limits.

/// Counts a block of \p Size bytes of site \p Id in all budgets that cover it.
void useBudgets(ThreadState &T, uint64_t Size, uint32_t Id);

/// Called after an allocation that exceeded a budget, outside the guard:
/// notifies the budget. \p MayThrow: an operator new that may throw allocated
/// the block.
INMEM_COLD void actOnExcess(ThreadState &T, void *P, bool MayThrow);
/// Call when the thread has notified a budget, which may end from then on.
/// Called from resume().
INMEM_COLD void leaveSharedBudget(ThreadState &T);

// Refusal.cpp: Undoing an allocation by an exception.

/// True if an exception thrown from operator new now would reach a handler
/// without std::terminate. Checks the tables of each function on the stack, up
/// to a handler of inmem::budget_exceeded or one of its bases; false in doubt.
/// \p ToNobody: the result without a handler. \p WhyNot: a short reason if only
/// a function's language prevents it, else null. Takes the mutex and may read
/// files.
bool canRefuse(bool ToNobody, const char *&WhyNot);
/// Counts the block at \p P, which operator new was about to return, as freed
/// and frees it.
void refuse(void *P);

} // namespace inmem::rt

#endif
