//===- Measure.h - What a run of a program costs ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs programs as they are, and reads what the kernel counts; or recorded, to
// know how much of their memory is blocks. "Steady" is the mean over the second
// half of a run: what it keeps once it is warm.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_MEASURE_H
#define INMEM_TOOLS_MEASURE_H

#include "trace/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace inmem::tools {

struct RunCost {
  double WallSeconds = 0, CpuSeconds = 0;
  uint64_t PeakBytes = 0; ///< of resident memory
  uint64_t Faults = 0;    ///< of pages
  /// Resident memory at equal intervals over the run, read while it ran.
  std::vector<uint64_t> ResidentBytes;

  uint64_t steadyBytes() const;
};

/// Bytes of blocks that a run had allocated and not freed.
struct LiveBytes {
  uint64_t Peak = 0;
  std::vector<uint64_t> Readings; ///< at equal intervals over the run
  uint64_t steadyBytes() const;
};

/// Runs \p Command with nothing as its input and its output discarded. An
/// error if it cannot be run or does not end with exit code 0.
trace::Result<RunCost> measureRun(const std::vector<std::string> &Command);

/// Runs \p Command once more, recorded. Nothing if it cannot be recorded: it is
/// linked statically, or has a malloc of its own.
std::optional<LiveBytes> measureLive(const std::vector<std::string> &Command);

} // namespace inmem::tools

#endif
