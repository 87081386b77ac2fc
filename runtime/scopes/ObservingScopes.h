//===- ObservingScopes.h - Scopes that follow each block ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_OBSERVINGSCOPES_H
#define INMEM_RUNTIME_OBSERVINGSCOPES_H

#include "index/LiveIndex.h"
#include "state/ThreadState.h"

namespace inmem::rt {

/// A block of \p Size bytes was just counted at \p P, under site \p Id; its
/// life is timed. With the guard.
INMEM_COLD void watchAllocation(ThreadState &T, void *P, uint64_t Size,
                                uint32_t Id);
/// The block \p B at \p P was just counted as freed.
INMEM_COLD void watchFree(ThreadState &T, void *P, Block B);
/// The block \p B at \p P was moved from site \p From to the one in \p B.
INMEM_COLD void watchMove(ThreadState &T, void *P, Block B, uint32_t From);

/// Drops blocks that another thread freed without the scope's knowledge, so
/// that what is left of Followed is alive. A shared scope will hear of them,
/// unless this is \p Last.
void settle(inmem_scope &S, uint64_t Now, bool Last);

} // namespace inmem::rt

#endif
