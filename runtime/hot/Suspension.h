//===- Suspension.h - Allocations that are not recorded -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_SUSPENSION_H
#define INMEM_RUNTIME_SUSPENSION_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// Suspends recording on this thread, also for signal handlers; nests.
void suspend(ThreadState &T);
void resume(ThreadState &T);

/// Suspends recording for the duration of an operator; nests. \p Outer is
/// filled with what to pass to leaveOperator().
void enterOperator(ThreadState &T, inmem_operator Entered,
                   OuterOperator &Outer);
void leaveOperator(ThreadState &T, const OuterOperator &Outer);

} // namespace inmem::rt

#endif
