//===- Alive.cpp - Live blocks at the end ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/LibraryMemory.h"
#include "report/text/LocationText.h"
#include "report/text/Sections.h"
#include "report/text/TypeText.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

void aliveSection(Sheet &To, const ReportContext &In, SiteLines &Lines) {
  if (!In.P.Totals.liveBytes())
    return;
  std::vector<size_t> Rows;
  Counts Libraries;
  for (size_t I = 0; I < In.P.Sites.size(); ++I) {
    if (In.P.Sites[I].Sum.LiveAllocations == 0 ||
        !In.P.Sites[I].Sum.liveBytes())
      continue;
    if (isLibraryMemory(In.P, In.P.Sites[I]))
      Libraries.add(In.P.Sites[I].Sum);
    else
      Rows.push_back(I);
  }
  if (Rows.empty() && Libraries.LiveAllocations == 0)
    return;
  std::sort(Rows.begin(), Rows.end(), [&](size_t A, size_t B) {
    const uint64_t X = In.P.Sites[A].Sum.LiveBytes,
                   Y = In.P.Sites[B].Sum.LiveBytes;
    return X != Y ? X > Y : A < B;
  });
  To.title(In.P.WholeRun ? "STILL ALIVE AT THE END" : "STILL ALIVE");
  Table T;
  T.column({"bytes"});
  T.column({"blocks", true, false, 2});
  T.column({"of those made", true, false, 3});
  T.column({.Title = "type",
            .Right = false,
            .Importance = 1,
            .With = Paint::Bold,
            .Fit = shortenName,
            .Widest = typeRoom(In.S),
            .Names = true});
  T.column(locationColumn("made by", Paint::None, narrowLocation(In.S), true));
  const size_t All = Rows.size(), Most = someOf(In.V, All);
  uint64_t Rest = 0;
  for (size_t I = Most; I < All; ++I)
    Rest += In.P.Sites[Rows[I]].Sum.LiveBytes;
  Rows.resize(Most);
  std::vector<const SiteResult *> Sites;
  Sites.reserve(Rows.size());
  for (const size_t I : Rows)
    Sites.push_back(&In.P.Sites[I]);
  std::vector<std::string> Locations = Lines.each(Sites);
  for (size_t I = 0; I < Rows.size(); ++I) {
    const SiteResult &R = *Sites[I];
    T.row({humanBytes(R.Sum.LiveBytes), humanCount(R.Sum.liveAllocations()),
           R.Sum.allocations()
               ? humanShare(R.Sum.LiveAllocations,
                            R.Sum.Allocations + R.Sum.CarriedAllocations)
               : "?",
           blocksText(In.S, In.P, R), std::move(Locations[I])});
  }
  if (!Rows.empty())
    To.table(T);
  To.more(All - Most, "site", humanBytes(Rest));
  if (Libraries.LiveAllocations > 0)
    To.paragraph(fmt::format("{} in {} are the C and C++ libraries' own",
                             humanBytes(Libraries.LiveBytes),
                             counted(Libraries.LiveAllocations, "block")),
                 2);
}

} // namespace inmem::report
