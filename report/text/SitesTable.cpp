//===- SitesTable.cpp - Sites ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"
#include "report/text/Sections.h"
#include <algorithm>

namespace inmem::report {

void siteSection(Sheet &To, const ReportContext &In, SiteLines &Lines) {
  const std::vector<size_t> Rows = selectSites(In.P, In.V);
  std::vector<const Lifetime *> Lifetimes;
  uint64_t Shown = 0, All = 0;
  size_t AllRows = 0;
  for (const size_t I : Rows) {
    Lifetimes.push_back(&In.P.Sites[I].Life);
    Shown += In.P.Sites[I].Sum.AllocatedBytes;
  }
  for (const SiteResult &R : In.P.Sites)
    if (R.Sum.AllocatedBytes >= In.V.MinBytes) {
      All += R.Sum.AllocatedBytes;
      ++AllRows;
    }
  const auto Scale =
      scaleOf(Lifetimes, In.P, std::clamp(In.S.Width / 8, 8u, 32u));
  To.title("SITES");
  Table T;
  T.column(locationColumn("allocated by", Paint::Bold, 32, true));
  T.column({.Title = "type",
            .Right = false,
            .Importance = 2,
            .Fit = shortenName,
            .Widest = std::max<size_t>(In.S.Width / 5, 10),
            .Names = true});
  const MainBytes Main = mainBytes(In.P);
  T.column({Main.Title});
  T.column({"share", true, false, 5});
  T.column({"blocks"});
  T.column({"live", true, false, 3});
  T.column({"median", true, false, 4});
  if (Scale)
    T.column({Scale->axis(In.S), false, false, 1, Paint::Cyan});
  std::vector<std::string> Locations =
      Lines.each(Rows, Rows.size(), [&](size_t I) { return &In.P.Sites[I]; });
  for (size_t I = 0; I < Rows.size(); ++I) {
    const SiteResult &R = In.P.Sites[Rows[I]];
    std::vector<std::string> Cells = {
        std::move(Locations[I]),
        blocksText(In.S, In.P, R),
        humanBytes(R.Sum.AllocatedBytes),
        humanShare(R.Sum.AllocatedBytes, Main.Whole),
        humanCount(R.Sum.allocations()),
        bytesOrDash(R.Sum.liveBytes()),
        lifetimeText(In, R.Life.P50)};
    if (Scale)
      Cells.push_back(Scale->spark(In.S, R.Life.Lifetimes));
    T.row(std::move(Cells));
  }
  To.table(T);
  To.more(AllRows - Rows.size(), "site", humanBytes(All - Shown));
}

} // namespace inmem::report
