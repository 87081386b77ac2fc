//===- Alive.cpp - Live blocks at the end ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/LibraryCode.h"
#include "report/text/LocationText.h"
#include "report/text/Sections.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

AliveSites aliveSites(const Profile &P) {
  AliveSites Out;
  for (const SiteResult &S : P.Sites) {
    if (S.Sum.LiveAllocations == 0 || !S.Sum.liveBytes())
      continue;
    if (isLibraryMemory(P, S))
      Out.Libraries.add(S.Sum);
    else
      Out.Sites.push_back(&S);
  }
  std::ranges::stable_sort(
      Out.Sites, std::ranges::greater(),
      [](const SiteResult *S) { return S->Sum.LiveBytes; });
  return Out;
}

std::vector<std::string> aliveCells(const ReportContext &In,
                                    const SiteResult &S, std::string Location) {
  const Counts &Sum = S.Sum;
  return {humanBytes(Sum.LiveBytes), humanCount(Sum.liveAllocations()),
          Sum.allocations()
              ? humanShare(Sum.LiveAllocations,
                           Sum.Allocations + Sum.CarriedAllocations)
              : "?",
          blocksText(In.S, In.P, S), std::move(Location)};
}

void aliveSection(Sheet &To, const ReportContext &In, SiteLines &Lines) {
  if (!In.P.Totals.liveBytes())
    return;
  auto [Sites, Libraries] = aliveSites(In.P);
  if (Sites.empty() && Libraries.LiveAllocations == 0)
    return;
  To.title(In.P.WholeRun ? "STILL ALIVE AT THE END" : "STILL ALIVE");
  Table T;
  T.column({"bytes"});
  T.column({"blocks", true, false, 2});
  T.column({"kept", true, false, 3});
  addTypeAndLine(T, In.S, "allocated by");
  const size_t All = Sites.size(), Most = someOf(In.V, All);
  uint64_t Rest = 0;
  for (size_t I = Most; I < All; ++I)
    Rest += Sites[I]->Sum.LiveBytes;
  Sites.resize(Most);
  std::vector<std::string> Locations = Lines.each(Sites);
  for (size_t I = 0; I < Sites.size(); ++I)
    T.row(aliveCells(In, *Sites[I], std::move(Locations[I])));
  if (!Sites.empty())
    To.table(T);
  To.more(All - Most, "site", humanBytes(Rest));
  if (Libraries.LiveAllocations > 0)
    To.paragraph(fmt::format("{} in {} are the C and C++ libraries' own",
                             humanBytes(Libraries.LiveBytes),
                             counted(Libraries.LiveAllocations, "block")),
                 2);
}

} // namespace inmem::report
