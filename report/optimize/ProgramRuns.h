//===- ProgramRuns.h - Runs of two programs, compared -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's counts of alternating runs, and a verdict on each figure.
// "Steady" is the mean over the second half of a run: the memory that the
// program keeps after warm-up.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_OPTIMIZE_PROGRAMRUNS_H
#define INMEM_REPORT_OPTIMIZE_PROGRAMRUNS_H

#include "report/optimize/LifetimeProfile.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inmem::report {

// RunFigure.cpp: One figure of runs of two programs.

/// Increase of \p New, in percent; nothing if it cannot be computed.
std::optional<double> changeOf(double Old, double New);

/// A figure measured in several runs of each program; less is better.
struct RunFigure {
  double Slack = 0; ///< differences up to this are never judged
  bool Judged = true;
  bool TooShort = false; ///< the runs ended before the figure was meaningful
  std::vector<double> Old = {}, New = {}; ///< sorted

  static double median(const std::vector<double> &V) { return V[V.size() / 2]; }
  bool known() const { return !Old.empty() && !New.empty(); }
  /// True if the increase exceeds the tolerance, in percent, and the slack, and
  /// nearly all new runs are above the middle old one.
  bool worse(double Tolerance) const;
  /// worse, better or same; or the reason why it cannot be judged.
  std::string_view verdict(double Tolerance) const;
};

// ProgramRuns.cpp: Runs of two programs, compared.

struct RunCost {
  double WallSeconds = 0, CpuSeconds = 0;
  /// Peak of resident memory; unknown if the run was too short to read it.
  std::optional<uint64_t> PeakBytes;
  uint64_t Faults = 0; ///< page faults
  /// Resident memory at equal intervals over the run, read while it ran.
  std::vector<uint64_t> ResidentBytes;
  /// A run with fewer readings was too short to determine its memory.
  static constexpr size_t kFewest = 4;

  std::optional<uint64_t> steadyBytes() const; ///< nullopt: too few readings
};

/// Bytes of blocks that a run had not freed.
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
  std::vector<uint64_t> Resident[2]; ///< over time, for the last runs
  double Longest = 0;            ///< longest run of either program, in seconds
  std::optional<LiveBytes> Live; ///< of the recordable program

  void add(bool IsNew, const RunCost &Cost);
  void finish(); ///< after the last run
  bool worse(double Tolerance) const;
  /// True if runs ended too soon for their memory to be judged.
  bool tooShort() const;
  const ProgramFigure &steadyRss() const;
};

/// Resident memory after warm-up per byte of the program's blocks: 1 if its
/// pages held nothing else.
double pagesPerByte(const std::vector<double> &SteadyRss,
                    const LiveBytes &Live);

// RecordedRuns.cpp: Runs that predict, or are predicted.

/// Traces' figures for whole runs.
struct RecordedRuns {
  LifetimeProfile Lifetimes;
  uint64_t Blocks = 0, Bytes = 0;
  std::optional<uint64_t> PeakBytes; ///< nullopt if blocks were sampled
  double Seconds = 0;
  trace::ClockKind Clock = trace::ClockKind::Auto;
  size_t Depth = 0;               ///< stack depth; 0: no stacks
  std::vector<std::string> Notes; ///< notes for the user
};

/// Verdict on the peak of live bytes; judged only if both did the same work.
std::string_view peakVerdict(const RecordedRuns &Old, const RecordedRuns &New,
                             double Tolerance);

} // namespace inmem::report

#endif
