//===- Frees.h - frees=on: which code frees which blocks ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each free is counted once more, in a cell of its thread for the block's site
// (with its stack, if there are stacks), the place that frees and the thread
// that allocated. Places are stacks (Stacks.h), found as for allocations;
// the allocating thread is in a side table of the live index. Cells of
// a thread that hold for one part of the run, from a mark to the next, are
// never used for another: a reader takes the cells that it wants.
//
// Only this option touches, or pays for, any of it.
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

/// The calling thread has allocated the block at \p P, which is in the index.
/// With the guard, without the mutex.
void noteOwner(ThreadState &T, void *P);

/// The calling thread, in a hook, frees the block \p B at \p P, which is out of
/// the index and counted as freed. The thread has rows. With the
/// guard, without the mutex. Keeps errno.
void noteFree(ThreadState &T, void *P, const Block &B);

/// Recording starts. With the mutex.
void startFrees();

/// A new part of the run begins with snapshot \p Sequence.
void beginFreesAnew(uint32_t Sequence);

} // namespace inmem::rt

#endif
