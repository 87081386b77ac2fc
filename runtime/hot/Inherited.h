//===- Inherited.h - Blocks that a forked child has from its parent -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After a fork the child owns copies of its parent's blocks. It counts them in
// rows of sites with INMEM_SITE_INHERITED, which are not part of its totals.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_INHERITED_H
#define INMEM_RUNTIME_INHERITED_H

#include "index/LiveIndex.h"

namespace inmem::rt {

/// Call before a fork. Sums up the rows, so that the child need not walk the
/// index. Takes time linear in sites, not in blocks. Only valid if no other
/// thread counts until the fork. Needs the mutex.
void countForChild();
/// Call in the parent after the fork.
void dropCountForChild();
/// Writes the number of the parent's live blocks for each site, when a child
/// starts recording. Needs the mutex.
void writeInherited();
/// Call when \p B, allocated by the parent, is about to be freed. Call without
/// the mutex.
void freedInherited(const Block &B);

} // namespace inmem::rt

#endif
