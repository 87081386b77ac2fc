//===- ObjectLifetimes.h - objects=lifetime ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hooks that code compiled with objects=lifetime calls at the beginning and
// end of each object's life: a table of living objects by address and class,
// rows of their sites like rows of blocks, and what copy constructors
// allocate. Slower than counters by far: a lock and a hash for each event.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OBJECTLIFETIMES_H
#define INMEM_RUNTIME_OBJECTLIFETIMES_H

namespace inmem::rt {

/// After fork, in the child: the parent's objects count in its trace.
void forgetObjects();
/// Releases what the calling thread left held by a jump (Recovery.h).
void releaseObjectLocks();

} // namespace inmem::rt

#endif
