//===- Counts.h - Objects of one type in a graph --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_COUNTS_H
#define INMEM_RUNTIME_COUNTS_H

#include "graph/ObjectTree.h"

namespace inmem::rt {

/// Adds to \p Counts, one per node, its live objects of the type spelled \p
/// Type. Needs GraphLock.
void countObjects(const inmem_graph &G, const char *Type, uint64_t *Counts);

} // namespace inmem::rt

#endif
