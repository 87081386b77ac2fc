//===- ReportTool.h - report= ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_REPORTTOOL_H
#define INMEM_RUNTIME_REPORTTOOL_H

namespace inmem::rt {

/// Runs `inmem report TRACE` with output to "stderr" or the file \p Where. The
/// tool is found next to this library or in PATH.
void runReportTool(const char *Trace, const char *Where);

/// Remembers whether the program was started on a terminal, and not in CI,
/// where the variable CI is set. Call when the program starts.
void lookForTerminal();
/// Prints where the trace is and the command that reads it, once, if standard
/// error is still a terminal. Prints nothing in a sandbox.
void nameTraceOnTerminal(const char *Trace);

} // namespace inmem::rt

#endif
