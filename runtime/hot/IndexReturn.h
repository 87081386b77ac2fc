//===- IndexReturn.h - Unused pages of the live index go back -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After the heap has shrunk, pages of the live index without entries are
// returned to the system. Hooks write entries without a lock, so a thread could
// write to a page between the check that it is empty and its return.
//
// The hot path must not pay for this. Every event therefore does only what it
// does anyway for "temporary" blocks: it stores the block's address in
// LastAllocated before it writes the entry (announce() in Allocate.h). The
// returning thread closes all fast paths, makes all processors execute a fence
// (membarrier), and keeps the pages of announced blocks. Events that begin
// later take a slow path, which waits for the mutex.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_INDEXRETURN_H
#define INMEM_RUNTIME_INDEXRETURN_H

namespace inmem::rt {

/// If the heap has shrunk: returns the index's empty pages to the system.
/// \p OwnsGuard as in liveFell.
void considerReturningIndex(bool OwnsGuard);

} // namespace inmem::rt

#endif
