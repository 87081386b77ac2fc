//===- CpuTable.cpp - Functions by where threads were ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/names/TypeName.h"
#include "report/text/Sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace inmem::report {

/// Sorts functions by \p Order; the input is sorted by self.
static std::vector<const SampledFunction *> sorted(const Sampled &M,
                                                   Sort Order) {
  std::vector<const SampledFunction *> Out;
  Out.reserve(M.Functions.size());
  for (const SampledFunction &F : M.Functions)
    Out.push_back(&F);
  if (Order == Sort::Total)
    std::ranges::stable_sort(Out, std::greater{}, &SampledFunction::Total);
  if (Order == Sort::Interesting)
    std::ranges::stable_sort(Out, std::greater{},
                             &SampledFunction::Interesting);
  return Out;
}

void cpuSection(Sheet &To, const ReportContext &In) {
  To.title("WHERE THREADS WERE");
  if (In.P.SamplesOfWholeRun) {
    To.line("  " + std::string(kSamplesOfWholeRun));
    return;
  }
  if (!In.P.Samples) {
    To.line("  no samples: run with INMEM_OPTIONS=profile=200ms, or "
            "profile=1ms:profile_clock=cpu");
    return;
  }
  const Sampled &M = *In.P.Samples;
  const bool Cpu = M.Clock == "cpu";
  const auto Time = [&](uint64_t Count) {
    return humanLifetime(Count * M.IntervalNs, Unit::Nanoseconds, In.S.Unicode);
  };
  To.wrapped({fmt::format("clock {}, every {}", M.Clock, Time(1)),
              humanCount(M.Samples) + " samples",
              humanCount(M.Running) + " running",
              humanCount(M.Blocked) + " blocked",
              humanCount(M.Samples - M.Unwound) + " without a stack"},
             2);
  if (M.Other > 0)
    To.line(
        fmt::format("  {} samples of another clock or interval are left out",
                    humanCount(M.Other)));
  Table T;
  T.column(locationColumn("function", Paint::Bold));
  T.column({"self"});
  T.column({"share", true, false, 3});
  T.column({"total", true, false, 1});
  if (!Cpu)
    T.column({"blocked", true, false, 4});
  T.column({"interesting", true, false, 6});
  T.column({"allocator", true, false, 5});
  T.column({"bytes", true, false, 2});
  T.column({"blocks", true, false, 7});
  size_t Rows = 0;
  for (const SampledFunction *Next : sorted(M, In.V.Order)) {
    const SampledFunction &F = *Next;
    if (In.V.Top != 0 && Rows == In.V.Top)
      break;
    ++Rows;
    std::vector<std::string> Cells = {
        printable(In.S, shortFunction(F.Where.Function)), Time(F.Self),
        humanShare(F.Self, M.Samples), Time(F.Total)};
    if (!Cpu)
      Cells.push_back(humanShare(F.Blocked, F.Total));
    Cells.push_back(humanShare(F.Interesting, M.Samples));
    Cells.push_back(humanShare(F.Allocator, M.Samples));
    Cells.push_back(F.Allocations ? humanBytes(F.AllocatedBytes) : "-");
    Cells.push_back(F.Allocations ? humanCount(F.Allocations) : "-");
    T.row(std::move(Cells));
  }
  To.table(T);
  To.more(M.Functions.size() - Rows, "function");
  const auto List = [&](const char *Title, const auto &All, const char *One) {
    constexpr size_t kMost = 8;
    std::vector<std::string> Parts;
    for (const auto &[Name, Count] : All) {
      if (In.V.Top != 0 && Parts.size() == kMost)
        break;
      Parts.push_back(fmt::format("{} {}", printable(In.S, Name),
                                  humanShare(Count, M.Samples)));
    }
    if (Parts.empty())
      return;
    To.line(fmt::format("  {}:", Title));
    To.wrapped(Parts, 4);
    To.more(All.size() - Parts.size(), One, {}, kTopHint, 4);
  };
  List("threads", M.Threads, "thread");
  List("waiting in", M.Waits, "wait");
}

} // namespace inmem::report
