//===- Measure.h - Cost of a run of a program -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs programs as they are, and reads the kernel's counts; or recorded, to
// know how much of their memory is blocks.
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

/// Runs \p Command with its output discarded. It reads our standard input, from
/// the beginning, if that is a file, and nothing otherwise. An error if it
/// cannot be run or does not end with exit code 0.
trace::Result<RunCost> measureRun(const std::vector<std::string> &Command);

/// Runs \p Command once more, recorded. Nothing if it cannot be recorded: it is
/// linked statically, has a malloc of its own, or does not end as without.
std::optional<LiveBytes> measureLive(const std::vector<std::string> &Command);

/// A run of a program that was compiled to be recorded.
struct RecordedRun {
  std::optional<LiveBytes> Live;    ///< of the process that was started
  std::vector<trace::Trace> Traces; ///< and of its children
};
/// \param Options as of INMEM_OPTIONS, without the output
trace::Result<RecordedRun> recordRun(const std::vector<std::string> &Command,
                                     const std::string &Options);

} // namespace inmem::tools

#endif
