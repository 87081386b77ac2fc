//===- Measure.h - Cost of a run of a program -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs programs unchanged and reads the kernel's counts, or records them to
// find how much of their memory is blocks.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_MEASURE_H
#define INMEM_TOOLS_MEASURE_H

#include "report/optimize/ProgramRuns.h"
#include "trace/read/Trace.h"

#include <optional>
#include <string>
#include <vector>

namespace inmem::tools {

using report::LiveBytes;
using report::RunCost;

/// Runs \p Command and discards its output. If our standard input is a file,
/// the command reads it from the start; otherwise it has no input. Fails if the
/// command cannot be run or does not end with exit code 0.
trace::Result<RunCost> measureRun(const std::vector<std::string> &Command);

/// Runs \p Command once more, recorded. nullopt if it cannot be recorded: it is
/// statically linked, has its own malloc, or ends differently.
std::optional<LiveBytes> measureLive(const std::vector<std::string> &Command);

/// A run of a program that was compiled with inmem.
struct RecordedRun {
  std::optional<LiveBytes> Live;    ///< of the process that was started
  std::vector<trace::Trace> Traces; ///< of that process and its children
};
/// \param Options as in INMEM_OPTIONS, without the output
trace::Result<RecordedRun> recordRun(const std::vector<std::string> &Command,
                                     const std::string &Options);

} // namespace inmem::tools

#endif
