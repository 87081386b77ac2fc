//===- ThreadTable.cpp - Threads ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LifetimeScale.h"
#include "report/text/Sections.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace inmem::report {

namespace {

/// Bytes over the whole run in N columns of equal time.
std::vector<uint64_t> columnsOf(const ThreadResult &R, uint64_t EndNs,
                                size_t Columns) {
  std::vector<double> Out(Columns);
  const double Each = static_cast<double>(EndNs) / static_cast<double>(Columns);
  for (size_t I = 0; I < R.Line.size(); ++I) {
    // A column of the trace is spread evenly over the columns that it overlaps.
    const double From = static_cast<double>(R.LineFromNs) +
                        static_cast<double>(I * R.LineWidthNs);
    const double To = From + static_cast<double>(R.LineWidthNs);
    const auto First = static_cast<size_t>(std::max(0.0, From / Each));
    for (size_t C = std::min(First, Columns - 1); C < Columns; ++C) {
      const double Begin = static_cast<double>(C) * Each;
      const double Shared =
          C + 1 == Columns ? To - std::max(From, Begin)
                           : std::min(To, Begin + Each) - std::max(From, Begin);
      if (Shared <= 0)
        break;
      Out[C] += static_cast<double>(R.Line[I]) * Shared / (To - From);
    }
  }
  std::vector<uint64_t> Rounded;
  Rounded.reserve(Out.size());
  for (const double Value : Out)
    Rounded.push_back(static_cast<uint64_t>(std::ceil(Value)));
  return Rounded;
}

/// The end of all lines: the end of the longest process. A line's last column
/// extends beyond it. The end of a killed process is unknown.
uint64_t endOf(const Profile &P) {
  uint64_t End = 1;
  bool Known = !P.Processes.empty();
  for (const ProcessResult &One : P.Processes) {
    End = std::max(End, One.DurationNs.value_or(0));
    Known &= One.Complete && One.DurationNs;
  }
  if (Known)
    return End;
  for (const ThreadResult &R : P.Threads)
    for (size_t I = 0; I < R.Line.size(); ++I)
      if (R.Line[I] != 0)
        End = std::max(End, R.LineFromNs + (I + 1) * R.LineWidthNs);
  return End;
}

} // namespace

void threadSection(Sheet &To, const ReportContext &In) {
  const std::vector<size_t> Rows = selectThreads(In.P, In.V);
  To.title("THREADS");
  if (In.P.Threads.empty()) {
    To.line("  threads are not distinguished here");
    return;
  }
  Table T;
  T.column({"thread", false, true, 0, Paint::Bold});
  if (In.P.Processes.size() > 1)
    T.column({"pid", true, false, 3});
  T.column({"tid", true, false, 2});
  T.column({"allocated"});
  T.column({"share", true, false, 4});
  T.column({"blocks"});
  T.column({"freed here", true, false, 1});
  T.column({"temporary", true, false, 5});
  const auto Any = [&](auto Has) {
    return std::any_of(Rows.begin(), Rows.end(),
                       [&](size_t I) { return Has(In.P.Threads[I]); });
  };
  const bool Lines = Any([](const ThreadResult &R) { return !R.Line.empty(); });
  const bool Starts =
      Any([](const ThreadResult &R) { return !R.Start.empty(); });
  const uint64_t End = endOf(In.P);
  const size_t Width = std::clamp<size_t>(In.S.Width / 5, 8, 32);
  if (Lines)
    T.column({"0 to " + humanLifetime(End, Unit::Nanoseconds, In.S.Unicode),
              false, false, 2, Paint::Cyan});
  if (Starts)
    T.column({"runs", false, false, 6});
  uint64_t Shown = 0, All = 0;
  for (const size_t I : Rows) {
    const ThreadResult &R = In.P.Threads[I];
    Shown += R.AllocatedBytes;
    std::vector<std::string> Cells = {R.Name.empty()
                                          ? fmt::format("thread {}", R.Index)
                                          : printable(In.S, R.Name)};
    if (In.P.Processes.size() > 1)
      Cells.push_back(fmt::format("{}", R.Pid));
    Cells.push_back(R.Tid == 0 ? "" : fmt::format("{}", R.Tid));
    Cells.push_back(humanBytes(R.AllocatedBytes));
    Cells.push_back(humanShare(R.AllocatedBytes, In.P.Totals.AllocatedBytes));
    Cells.push_back(humanCount(R.Allocations));
    Cells.push_back(humanBytes(R.FreedBytes));
    Cells.push_back(humanCount(R.Temporary));
    if (Lines)
      Cells.push_back(sparkline(In.S, columnsOf(R, End, Width)));
    if (Starts)
      Cells.push_back(
          shortenName(In.S, printable(In.S, R.Start), In.S.Width / 3));
    T.row(std::move(Cells));
  }
  for (const ThreadResult &R : In.P.Threads)
    All += R.AllocatedBytes;
  To.table(T);
  To.more(In.P.Threads.size() - Rows.size(), "thread", humanBytes(All - Shown));
}

} // namespace inmem::report
