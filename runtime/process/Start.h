//===- Start.h - Where recording starts, and starts again -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording starts at the first event of any thread, also before main and
// before any constructor.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_START_H
#define INMEM_RUNTIME_START_H

namespace inmem::rt {

/// As ensureStarted(), for a process that has not started, or a child that has
/// not noticed its fork yet.
bool startRecording();

/// As startRecording() for a process that `inmem attach` has attached to: with
/// \p Options instead of the environment's. Allocations are recorded from
/// setRecording() on.
bool startAttached(const char *Options);

// Fork.cpp: Forks.
//
// A forked child never writes its parent's trace. It begins its own at its
// first event. From then on, blocks that its parent allocated are also the
// child's, but are counted separately: in rows of sites with
// INMEM_SITE_INHERITED, which are not in the child's totals.

/// Call once per process, when it starts recording.
void watchForks();

/// The handlers of fork, in the forking thread; they may run inside a hook.
void beforeFork();
void afterForkInParent();
void afterForkInChild();

/// Makes the next trace, which the next event begins, number and write sites,
/// types and files again. The caller handles threads and the trace itself. \p
/// KeepMapped: the known mappings stay known.
void forgetTrace(bool KeepMapped);

/// Call in a new process, in which the calling thread is the only one. \p
/// InsideHook: it forked in a signal handler that had interrupted a hook, which
/// continues in both processes; the child then records nothing.
void becomeChild(bool InsideHook);

} // namespace inmem::rt

#endif
