//===- Operators.h - Within an operator that the program replaced ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operator new or delete of the program's own allocates to do its work
// is not a block of the program: the one that it returns is (Replaced.c). A
// signal handler that interrupts it allocates for itself, and is counted.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OPERATORS_H
#define INMEM_RUNTIME_OPERATORS_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// True if an allocation of this thread, which is in an operator, is the
/// operator's own. False: a signal handler's, or the operator was left by a
/// jump, which ends its suspension. True if the stack does not show it (no
/// unwind tables, not x86-64). With the guard, without the mutex.
bool isOfOperator(ThreadState &T);

/// After fork, in the child.
void resetOperatorLock();
/// Releases what the calling thread left held by a jump (Recovery.h).
void releaseOperatorLock();

} // namespace inmem::rt

#endif
