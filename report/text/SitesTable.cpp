//===- SitesTable.cpp - Sites ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"
#include "report/text/Printer.h"
#include <algorithm>

namespace inmem::report {

void Printer::siteTable() {
  const std::vector<size_t> Rows = selectSites(P, V);
  std::vector<const Lifetime *> Lives;
  uint64_t Shown = 0, All = 0;
  size_t AllRows = 0;
  for (const size_t I : Rows) {
    Lives.push_back(&P.Sites[I].Life);
    Shown += P.Sites[I].Sum.AllocatedBytes;
  }
  for (const SiteResult &R : P.Sites)
    if (R.Sum.AllocatedBytes >= V.MinBytes) {
      All += R.Sum.AllocatedBytes;
      ++AllRows;
    }
  const auto Scale = scaleOf(Lives, P, std::clamp(S.Width / 8, 8u, 32u));
  title("SITES");
  Table T;
  T.column(locationColumn("place", Paint::Bold, 32, true));
  T.column({.Title = "type",
            .Right = false,
            .Importance = 2,
            .Fit = shortenName,
            .Widest = std::max<size_t>(S.Width / 5, 10)});
  const MainBytes Main = mainBytes(P);
  T.column({Main.Title});
  T.column({"share", true, false, 5});
  T.column({"blocks"});
  T.column({"live", true, false, 3});
  T.column({"p50", true, false, 4});
  if (Scale)
    T.column({Scale->axis(S), false, false, 1, Paint::Cyan});
  std::vector<const SiteResult *> Sites;
  for (const size_t I : Rows)
    Sites.push_back(&P.Sites[I]);
  std::vector<std::string> Locations = madeByEach(Sites);
  for (size_t I = 0; I < Rows.size(); ++I) {
    const SiteResult &R = *Sites[I];
    std::vector<std::string> Cells = {
        std::move(Locations[I]),
        blocksText(S, P, R),
        humanBytes(R.Sum.AllocatedBytes),
        humanShare(R.Sum.AllocatedBytes, Main.Whole),
        humanCount(R.Sum.allocations()),
        bytesOrDash(R.Sum.liveBytes()),
        life(R.Life.P50)};
    if (Scale)
      Cells.push_back(Scale->spark(S, R.Life.Lives));
    T.row(std::move(Cells));
  }
  Out += T.render(S);
  more(AllRows - Rows.size(), "site", humanBytes(All - Shown));
}

} // namespace inmem::report
