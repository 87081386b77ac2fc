//===- TypeTable.cpp - A row for each type --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"
#include "report/text/Sections.h"

#include <algorithm>

namespace inmem::report {

std::optional<LifetimeScale> scaleOf(std::span<const Lifetime *const> Lifetimes,
                                     const Profile &P, size_t Width) {
  std::optional<uint64_t> First, Last;
  for (const Lifetime *L : Lifetimes)
    if (L->known()) {
      const uint64_t From =
          std::max(L->Lifetimes.buckets().front().From, L->Min.value_or(0));
      const uint64_t To = L->Max.value_or(L->Lifetimes.buckets().back().To);
      First = First ? std::min(*First, From) : From;
      Last = Last ? std::max(*Last, To) : To;
    }
  if (!First)
    return std::nullopt;
  // Steps below the clock's resolution would only be guessed.
  return LifetimeScale(P.LifetimeUnit, std::max(*First, P.Resolution), *Last,
                       Width);
}

void typeSection(Sheet &To, const ReportContext &In) {
  const std::vector<TypeRow> Rows = selectTypeRows(In.P, In.V);
  std::vector<const Lifetime *> Lifetimes;
  uint64_t Shown = 0, All = 0;
  for (const TypeRow &R : Rows) {
    Lifetimes.push_back(&R.life());
    Shown += R.sum().AllocatedBytes;
  }
  View Whole = In.V;
  Whole.Top = 0;
  Whole.HeapOnly = true;
  const std::vector<TypeRow> AllRows = selectTypeRows(In.P, Whole);
  for (const TypeRow &R : AllRows)
    All += R.sum().AllocatedBytes;
  To.title("TYPES");
  if (Rows.empty() && In.P.Totals.Allocations > 0) {
    To.line("  no type is left (--type takes whole names with std::, or globs: "
            "'*Foo*')");
    return;
  }
  // Names have priority over a finer shape of lifetimes.
  const auto Scale =
      scaleOf(Lifetimes, In.P, std::clamp(In.S.Width / 7, 10u, 32u));
  Table T;
  T.column({"type", false, true, 0, Paint::Bold, shortenName, 28});
  const bool Sums = In.P.Totals.allocatedBytes().has_value();
  if (Sums) {
    T.column({"allocated"});
    T.column({"share", true, false, 4});
    T.column({"blocks"});
  }
  T.column({"live", true, false, 2});
  const bool Peaks = std::ranges::any_of(
      Rows, [](const TypeRow &R) { return R.peak() || R.peakAtMost(); });
  if (Peaks)
    T.column({"peak", true, false, 5});
  T.column({"median", true, false, 3});
  T.column({"p99", true, false, 6});
  if (Scale)
    T.column(lifetimesColumn(In.S, *Scale));
  for (const TypeRow &R : Rows) {
    std::vector<std::string> Cells = {typeText(In.S, R)};
    if (Sums)
      Cells.insert(Cells.end(), {humanBytes(R.sum().AllocatedBytes),
                                 humanShare(R.sum().AllocatedBytes,
                                            In.P.Totals.AllocatedBytes),
                                 humanCount(R.sum().allocations())});
    Cells.push_back(bytesOrDash(R.sum().liveBytes()));
    if (Peaks)
      Cells.push_back(peakText(In.S, R));
    Cells.push_back(lifetimeText(In, R.life().P50));
    Cells.push_back(lifetimeText(In, R.life().P99));
    if (Scale)
      Cells.push_back(Scale->spark(In.S, R.life().Lifetimes));
    T.row(std::move(Cells));
  }
  To.table(T);
  To.more(AllRows.size() - Rows.size(), "type", humanBytes(All - Shown));
}

} // namespace inmem::report
