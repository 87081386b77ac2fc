//===- ProgramRuns.h - Runs of two programs, compared -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's counts of runs in turn, and a verdict on each figure. "Steady"
// is the mean over the second half of a run: what it keeps once it is warm.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_OPTIMIZE_PROGRAMRUNS_H
#define INMEM_REPORT_OPTIMIZE_PROGRAMRUNS_H

#include "report/optimize/RunFigure.h"

#include <cstdint>

namespace inmem::report {

struct RunCost {
  double WallSeconds = 0, CpuSeconds = 0;
  /// Peak of resident memory; unknown if the run was too short to look at it.
  std::optional<uint64_t> PeakBytes;
  uint64_t Faults = 0; ///< of pages
  /// Resident memory at equal intervals over the run, read while it ran.
  std::vector<uint64_t> ResidentBytes;
  /// If there are fewer readings, a run was too short to say how much memory it
  /// used.
  static constexpr size_t kFewest = 4;

  std::optional<uint64_t> steadyBytes() const; ///< unknown as the peak
};

/// Bytes of blocks that a run had allocated and not freed.
struct LiveBytes {
  uint64_t Peak = 0;
  std::vector<uint64_t> Readings; ///< at equal intervals over the run
  uint64_t steadyBytes() const;
};

/// A figure of both programs, over all runs.
struct ProgramFigure : RunFigure {
  enum class Kind { Bytes, Count, Seconds };

  const char *Name, *Title;
  Kind Of;
  /// Nothing if the run was too short.
  std::optional<double> (*From)(const RunCost &);
};

/// Measurements of two programs, and the allocations of both.
struct ProgramRuns {
  ProgramRuns();
  std::vector<ProgramFigure> Figures;
  std::vector<uint64_t> Resident[2]; ///< over time, of the last runs
  double Longest = 0;                ///< seconds that a run of either takes
  std::optional<LiveBytes> Live;     ///< of the program that could be recorded

  void add(bool IsNew, const RunCost &Cost);
  void finish(); ///< after the last run
  bool worse(double Tolerance) const;
  /// True if runs ended too soon for their memory to be judged.
  bool tooShort() const;
  const ProgramFigure &steadyRss() const;
};

/// Resident memory, once the program is warm, for each byte of its blocks: 1 if
/// its pages held nothing else.
double pagesPerByte(const std::vector<double> &SteadyRss,
                    const LiveBytes &Live);

} // namespace inmem::report

#endif
