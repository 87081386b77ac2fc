//===- Frees.h - frees=on: the code that frees each site's blocks ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// frees=on counts each free a second time, in a cell of the thread for the
// block's site (with its stack, if stacks are recorded), the stack that frees,
// and the thread that allocated. Stacks of frees are found as for allocations
// (Stacks.h). A side table of the live index has the allocating thread. A cell
// belongs to one part of the run, from one mark to the next, so that readers
// select parts without subtraction.
//
// Without this option none of these tables exists.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_FREES_H
#define INMEM_RUNTIME_FREES_H

#include "index/LiveIndex.h"
#include "state/Runtime.h"
#include "state/ThreadState.h"

namespace inmem::rt {

inline bool notesFrees() {
  return Process.Config.Frees.Index == Options::FreesOn;
}

/// Per-thread state.
struct FreeState;
/// Needs the mutex; null without the option or out of memory.
FreeState *makeFreeState();

/// Notes that the calling thread allocated the block at \p P, which is in the
/// index. Needs the guard, without the mutex.
void noteOwner(ThreadState &T, void *P);

/// Counts that the calling thread, in a hook, frees the block \p B at \p P,
/// which was removed from the index and is counted as freed. The thread has
/// rows and holds the guard, but not the mutex. Keeps errno.
void noteFree(ThreadState &T, void *P, const Block &B);

/// Call when recording starts. Needs the mutex.
void startFrees();

/// Begins a new part of the run, with snapshot \p Sequence.
void beginFreesAnew(uint32_t Sequence);

} // namespace inmem::rt

#endif
