//===- ProgramRuns.cpp - Runs of two programs, compared -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/optimize/ProgramRuns.h"

#include <algorithm>
#include <numeric>

namespace inmem::report {

/// Mean of the second half; nothing without readings.
static std::optional<uint64_t>
meanOfLater(const std::vector<uint64_t> &Readings) {
  const auto Half = Readings.begin() + static_cast<long>(Readings.size() / 2);
  const auto Count = static_cast<uint64_t>(Readings.end() - Half);
  if (Count == 0)
    return std::nullopt;
  return std::accumulate(Half, Readings.end(), uint64_t{0}) / Count;
}

std::optional<uint64_t> RunCost::steadyBytes() const {
  return ResidentBytes.size() < kFewest ? std::nullopt
                                        : meanOfLater(ResidentBytes);
}

uint64_t LiveBytes::steadyBytes() const {
  return meanOfLater(Readings).value_or(Peak);
}

ProgramRuns::ProgramRuns() {
  using Kind = ProgramFigure::Kind;
  using Value = std::optional<double>;
  constexpr double kSmallBytes = 256 * 1024, kSmallTime = 0.02;
  Figures = {
      {{.Slack = kSmallBytes, .Judged = true},
       "peak_rss_bytes",
       "peak RSS",
       Kind::Bytes,
       [](const RunCost &C) -> Value { return C.PeakBytes; }},
      {{.Slack = kSmallBytes, .Judged = true},
       "steady_rss_bytes",
       "steady RSS",
       Kind::Bytes,
       [](const RunCost &C) -> Value { return C.steadyBytes(); }},
      // Their cost is part of the CPU time.
      {{.Slack = 0, .Judged = false},
       "page_faults",
       "page faults",
       Kind::Count,
       [](const RunCost &C) -> Value { return static_cast<double>(C.Faults); }},
      {{.Slack = kSmallTime, .Judged = true},
       "cpu_seconds",
       "CPU time",
       Kind::Seconds,
       [](const RunCost &C) -> Value { return C.CpuSeconds; }},
      {{.Slack = kSmallTime, .Judged = false},
       "wall_seconds",
       "wall time",
       Kind::Seconds,
       [](const RunCost &C) -> Value { return C.WallSeconds; }},
  };
}

void ProgramRuns::add(bool IsNew, const RunCost &Cost) {
  Resident[IsNew] = Cost.ResidentBytes;
  for (ProgramFigure &F : Figures)
    if (const auto Value = F.From(Cost))
      (IsNew ? F.New : F.Old).push_back(*Value);
}

static const ProgramFigure &named(const std::vector<ProgramFigure> &Figures,
                                  std::string_view Name) {
  return *std::ranges::find(Figures, Name, [](const ProgramFigure &F) {
    return std::string_view(F.Name);
  });
}

/// Seconds that a run must take for its memory to be judged. In a shorter one,
/// starting the program takes most of the time.
static constexpr double kShortest = 0.02;

void ProgramRuns::finish() {
  for (ProgramFigure &F : Figures) {
    std::ranges::sort(F.Old);
    std::ranges::sort(F.New);
  }
  const ProgramFigure &Wall = named(Figures, "wall_seconds");
  Longest = std::max(RunFigure::median(Wall.Old), RunFigure::median(Wall.New));
  for (ProgramFigure &F : Figures)
    F.TooShort = tooShort() && F.Of == ProgramFigure::Kind::Bytes;
}

bool ProgramRuns::worse(double Tolerance) const {
  return std::ranges::any_of(
      Figures, [=](const ProgramFigure &F) { return F.worse(Tolerance); });
}

bool ProgramRuns::tooShort() const { return Longest < kShortest; }

const ProgramFigure &ProgramRuns::steadyRss() const {
  return named(Figures, "steady_rss_bytes");
}

double pagesPerByte(const std::vector<double> &SteadyRss,
                    const LiveBytes &Live) {
  return RunFigure::median(SteadyRss) /
         static_cast<double>(std::max<uint64_t>(Live.steadyBytes(), 1));
}

} // namespace inmem::report
