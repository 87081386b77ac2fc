//===- ReportTool.h - report= ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_REPORTTOOL_H
#define INMEM_RUNTIME_REPORTTOOL_H

namespace inmem::rt {

/// Runs `inmem report TRACE`, found beside this library or in PATH; its output
/// goes to "stderr" or the file \p Where.
void runReportTool(const char *Trace, const char *Where);

} // namespace inmem::rt

#endif
