//===- End.h - Where recording ends -----------------------------*- C++ -*-===//
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

/// Call when the process ends in order: flushes, seals the trace, writes the
/// report. May be called more than once; later events still count. \p ByExit:
/// by exit() or quick_exit(), not by _exit().
void finish(bool WriteReport, bool ByExit = false);

/// Call before exec. If this returns true and exec fails, goOnAfterExec()
/// undoes it. Both keep errno.
bool endForExec();
void goOnAfterExec();

/// Drops the seal, if any, for the rest of the process: too many events follow
/// its end to renew the seal each time. Needs the mutex.
void leaveUnsealed();
/// Called before and after an event of a sealed process (SlowPath.h).
void breakSeal(ThreadState &T);
void renewSeal(ThreadState &T);

// ReportTool.cpp: Runs the report.

/// Runs `inmem report TRACE` with output to "stderr" or the file \p Where. The
/// tool is found next to this library or in PATH.
void runReportTool(const char *Trace, const char *Where);

/// Remembers whether the program was started on a terminal, and not in CI,
/// where the variable CI is set. Call when the program starts.
void lookForTerminal();
/// Prints where the trace is and the command that reads it, once, if standard
/// error is still a terminal. Prints nothing in a sandbox.
void nameTraceOnTerminal(const char *Trace);

// UnmatchedGlobs.cpp: Globs of include= and exclude= that match no type.

/// Prints a line for each glob of include= and exclude= that matches none of
/// the types that loaded code allocates, with the type that may be meant. Call
/// at the end of the process, since libraries may be loaded late. Takes the
/// mutex.
void reportUnmatchedGlobs();

} // namespace inmem::rt

#endif
