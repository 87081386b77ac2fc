//===- CountingScopes.h - Scopes that subtract counts ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_COUNTINGSCOPES_H
#define INMEM_RUNTIME_COUNTINGSCOPES_H

#include "state/ThreadRows.h"

namespace inmem::rt {

/// The thread's cell of live bytes is about to be flushed.
INMEM_COLD void watchFlush(ThreadState &T, const trace::Cell &C);
/// A thread got the block of rows \p B, which holds its thread pointer: scopes
/// that wait for it begin to count. With the mutex.
void beginAwaited(ThreadRows &B);

/// The rows of the thread that it counts; null if that has none. With
/// the mutex.
ThreadRows *rowsOf(uintptr_t ThreadPointer);
/// Records what \p B has counted at the scope's start; false when out of
/// memory. With the mutex.
bool copyRows(inmem_scope &S, ThreadRows &B);
/// Updates a counting scope's tallies. With the mutex. \returns INMEM_SCOPE_OK
/// or why not
int countDifferences(inmem_scope &S);

} // namespace inmem::rt

#endif
