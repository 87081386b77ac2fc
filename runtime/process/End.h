//===- End.h - Where recording ends ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace of a process that has ended is sealed: its checksums hold. Later
// events break the seal and renew it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_END_H
#define INMEM_RUNTIME_END_H

#include "state/ThreadState.h"

namespace inmem::rt {

/// The process ends in order: flushes, seals the trace, writes the report. May
/// be called more than once; later events still count. \p ByExit: by exit() or
/// quick_exit(), not by _exit().
void finish(bool WriteReport, bool ByExit = false);

/// The process is about to exec. If this returns true and exec fails,
/// goOnAfterExec() undoes it. Both keep errno.
bool endForExec();
void goOnAfterExec();

/// Drops the seal, if there is one, for the rest of the process: too many
/// events come after its end to renew it each time. With the mutex.
void leaveUnsealed();
/// Before and after an event of a sealed process (SlowPath.h).
void breakSeal(ThreadState &T);
void renewSeal(ThreadState &T);

} // namespace inmem::rt

#endif
