//===- Budgets.h - Limits -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_BUDGETS_H
#define INMEM_RUNTIME_BUDGETS_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// Counts a block of \p Size bytes of site \p Id in all budgets that cover it.
void useBudgets(ThreadState &T, uint64_t Size, uint32_t Id);

/// After an allocation that exceeded a budget, outside the guard: notifies the
/// budget. \p MayThrow: an operator new that may throw made it.
INMEM_COLD void actOnExcess(ThreadState &T, void *P, bool MayThrow);
/// The thread has notified a budget that may then end. Called from
/// resume().
INMEM_COLD void leaveSharedBudget(ThreadState &T);

} // namespace inmem::rt

#endif
