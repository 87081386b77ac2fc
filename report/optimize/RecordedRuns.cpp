//===- RecordedRuns.cpp - Runs that predict, or are predicted -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/optimize/ProgramRuns.h"

namespace inmem::report {

std::string_view peakVerdict(const RecordedRuns &Old, const RecordedRuns &New,
                             double Tolerance) {
  constexpr double kSame = 1; // %
  const auto Above = [](uint64_t A, uint64_t B, double Percent) {
    return static_cast<double>(A) >
           static_cast<double>(B) * (1 + Percent / 100);
  };
  if (!Old.PeakBytes || !New.PeakBytes || Above(New.Bytes, Old.Bytes, kSame) ||
      Above(Old.Bytes, New.Bytes, kSame))
    return "not judged";
  return Above(*New.PeakBytes, *Old.PeakBytes, Tolerance)   ? "worse"
         : Above(*Old.PeakBytes, *New.PeakBytes, Tolerance) ? "better"
                                                            : "same";
}

} // namespace inmem::report
