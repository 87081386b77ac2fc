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

/// ensureStarted() for a process that has not started, or that is a child
/// which does not know it yet.
bool startRecording();

/// As startRecording() for a process that `inmem attach` has attached to: with
/// \p Options instead of the environment's. Allocations are recorded from
/// setRecording() on.
bool startAttached(const char *Options);

// Fork.cpp: A process that becomes two.
//
// A forked child never writes its parent's trace. It begins its own with its
// first event; blocks that its parent had made are the child's too from then
// on, but are counted apart: rows of sites with INMEM_SITE_INHERITED, which
// are not in the child's totals.

/// Once per process, when it starts recording.
void watchForks();

/// The handlers of fork, in the forking thread; they may run inside a hook.
void beforeFork();
void afterForkInParent();
void afterForkInChild();

/// Sites, types and files are numbered and written again in the next trace,
/// which the next event begins. Threads and the trace itself are the caller's
/// part. \p KeepMapped: the known mappings stay known.
void forgetTrace(bool KeepMapped);

/// The calling thread is the only one of a new process. \p InsideHook: it
/// forked in a signal handler that had interrupted a hook, which continues in
/// both processes; the child then records nothing.
void becomeChild(bool InsideHook);

} // namespace inmem::rt

#endif
