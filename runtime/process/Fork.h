//===- Fork.h - A process that becomes two --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A forked child never writes its parent's trace. It begins its own with its
// first event; blocks that its parent had made are the child's too from then
// on, but are counted apart: rows of sites with INMEM_SITE_INHERITED, which
// are not in the child's totals.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_FORK_H
#define INMEM_RUNTIME_FORK_H

namespace inmem::rt {

/// Once per process, when it starts recording.
void watchForks();

/// The handlers of fork, in the forking thread; they may run inside a hook.
void beforeFork();
void afterForkInParent();
void afterForkInChild();

/// Sites, types and files are numbered and written again in the next trace,
/// which the next event begins. Threads and the trace itself are the caller's
/// part. \p KeepMapped: what is mapped is known, and stays so.
void forgetTrace(bool KeepMapped);

/// The calling thread is the only one of a new process. \p InsideHook: it
/// forked in a signal handler that had interrupted a hook, which continues in
/// both processes; the child then records nothing.
void becomeChild(bool InsideHook);

} // namespace inmem::rt

#endif
