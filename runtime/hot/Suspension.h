//===- Suspension.h - Allocations that are not recorded -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_SUSPENSION_H
#define INMEM_RUNTIME_SUSPENSION_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// Suspends recording on this thread, also for signal handlers; nests.
void suspend(ThreadState &T);
void resume(ThreadState &T);

/// Suspends recording for the duration of an operator; nests. \returns what to
/// pass to leaveOperator()
inmem_operator enterOperator(ThreadState &T, inmem_operator Entered);
void leaveOperator(ThreadState &T, inmem_operator Outer);

} // namespace inmem::rt

#endif
