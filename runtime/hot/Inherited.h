//===- Inherited.h - Blocks that a forked child has from its parent -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They are the child's too from the fork on, but are counted apart: in rows of
// sites with INMEM_SITE_INHERITED, which are not part of the child's totals.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_INHERITED_H
#define INMEM_RUNTIME_INHERITED_H

#include "index/LiveIndex.h"

namespace inmem::rt {

/// Before a fork: sums up the rows, so that the child need not walk the index.
/// Linear in sites, not in blocks. Only valid if no other thread counts until
/// the fork. With the mutex.
void countForChild();
/// In the parent, after the fork.
void dropCountForChild();
/// Writes how many blocks of the parent are alive, by site. With the mutex,
/// when a child starts recording.
void writeInherited();
/// \p B, allocated by the parent, is about to be freed. Without the mutex.
void freedInherited(const Block &B);

} // namespace inmem::rt

#endif
