//===- Fork.h - A process that becomes two --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A forked child never writes its parent's trace. It begins its own with its
// first event; blocks that its parent had made are the child's too from then
// on, but are counted apart: rows of sites with INMEM_SITE_INHERITED, which
// are no part of the child's totals.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_FORK_H
#define INMEM_RUNTIME_FORK_H

#include "index/LiveIndex.h"

namespace inmem::rt {

/// Once per process, when it starts recording.
void watchForks();

/// The handlers of fork, in the forking thread; they may run inside a hook.
void beforeFork();
void afterForkInParent();
void afterForkInChild();

/// 1 in the process that set it, 0 in a child until becomeChild() has run.
INMEM_HIDDEN extern char *ForkMark;
/// True in a child that was created without pthread_atfork's handlers (by a
/// bare clone system call) and does not know it yet.
inline bool isUnnoticedChild() {
  return ForkMark && __atomic_load_n(ForkMark, __ATOMIC_RELAXED) == 0;
}
/// The calling thread is the only one of a new process. \p InsideHook: it
/// forked in a signal handler that had interrupted a hook, which goes on in
/// both processes; the child then records nothing.
void becomeChild(bool InsideHook);

/// Writes how many blocks of the parent are alive, by site. With the mutex,
/// when a child starts recording.
void writeInherited();
/// \p B, allocated by the parent, is about to be freed. Without the mutex.
void freedInherited(const Block &B);

} // namespace inmem::rt

#endif
