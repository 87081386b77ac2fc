//===- RecordedRuns.h - Runs that predict, or are predicted ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_OPTIMIZE_RECORDEDRUNS_H
#define INMEM_REPORT_OPTIMIZE_RECORDEDRUNS_H

#include "report/optimize/LifetimeProfile.h"

#include <string>
#include <string_view>

namespace inmem::report {

/// Traces' figures for whole runs.
struct RecordedRuns {
  LifetimeProfile Lifetimes;
  uint64_t Blocks = 0, Bytes = 0;
  std::optional<uint64_t> PeakBytes; ///< not if blocks were sampled
  double Seconds = 0;
  trace::ClockKind Clock = trace::ClockKind::Auto;
  size_t Depth = 0;               ///< of stacks; 0: none
  std::vector<std::string> Notes; ///< what the user should know of them
};

/// Verdict on the peak of live bytes; not judged unless both did the same work.
std::string_view peakVerdict(const RecordedRuns &Old, const RecordedRuns &New,
                             double Tolerance);

} // namespace inmem::report

#endif
