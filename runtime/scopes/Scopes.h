//===- Scopes.h - Counting between two points of the program --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scope_api.h. A counting scope is a copy of the threads' rows at its start
// and a difference at its end: events in between know nothing of it. Observing
// scopes and budgets close their thread's fast path while they are open; then
// the recorder calls in here for each event. All of a thread's scopes and
// budgets are linked into its ThreadState, which it alone touches. Scopes of
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

/// The thread ends: its scopes stop counting.
void dropScopes(ThreadState &T);

/// After fork, in the child.
void forgetScopes();

/// Releases what the calling thread left held by a jump (Recovery.h).
void releaseScopeLocks(ThreadState &T);
} // namespace inmem::rt

#endif
