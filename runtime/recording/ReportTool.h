//===- ReportTool.h - report= ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_REPORTTOOL_H
#define INMEM_RUNTIME_REPORTTOOL_H

namespace inmem::rt {

/// Runs `inmem report TRACE` with output to "stderr" or the file \p Where. The
/// tool is found beside this library or in PATH.
void runReportTool(const char *Trace, const char *Where);

} // namespace inmem::rt

#endif
