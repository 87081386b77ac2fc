//===- TimelineReport.cpp - Live bytes over the run -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/ViewReports.h"

#include "report/base/Units.h"
#include "report/text/CsvField.h"
#include "report/text/Curve.h"
#include "report/text/LifetimeScale.h"
#include "report/text/LocationText.h"
#include "report/text/Sheet.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

/// `Foo grows without bound: ...`, for types that do; empty for others.
static std::string growthText(const Profile &P, const Style &S,
                              const TypeGrowth &G) {
  const size_t Last = lastSnapshot(P);
  return fmt::format(
      "{} grows without bound: {}, {} after {}",
      shortenName(S, typeText(S, G.Row), S.Width * 2 / 5),
      humanRate(G.Of.Rise->Middle), humanBytes(G.LiveBytes[Last]),
      humanLifetime(P.Timeline[Last].Ns, Unit::Nanoseconds, S.Unicode));
}

std::string timelineTable(const Profile &P, const View &V, const Style &S) {
  if (P.Timeline.empty())
    return "";
  const std::vector<TypeGrowth> All = growthOfRows(P);
  Sheet Head(S);
  Head.title("OVER TIME (live bytes)");
  for (const TypeGrowth &G : All)
    if (G.Of.Unbounded)
      Head.paragraph(growthText(P, S, G), 4, "  !", Paint::Red);
  std::string Out = std::move(Head).take();
  const size_t Width = std::clamp<size_t>(S.Width / 4, 8, 40);
  Table T;
  T.column({"type", false, true, 0, Paint::Bold, shortenName});
  T.column({"0 to " + timeText(P, S, P.Timeline.back().Ns), false, false, 1,
            Paint::Cyan});
  T.column({"most", true, false, 3});
  T.column({"last"});
  T.column({"slope", true, false, 2});
  T.column({"", false, false, 1, Paint::Red});
  if (const std::vector<uint64_t> Size = residentOverTime(P); !Size.empty())
    T.row({"(resident)", sparkline(S, columnsOf(P, Size, Width)),
           humanBytes(*std::ranges::max_element(Size)), humanBytes(Size.back()),
           "", ""});
  const size_t Rows = V.Top == 0 ? All.size() : std::min(V.Top, All.size());
  for (size_t I = 0; I < Rows; ++I) {
    const TypeGrowth &G = All[I];
    T.row(
        {typeText(S, G.Row), sparkline(S, columnsOf(P, G.LiveBytes, Width)),
         humanBytes(*std::max_element(G.LiveBytes.begin(), G.LiveBytes.end())),
         humanBytes(G.LiveBytes.back()),
         G.Of.Rise ? humanRate(G.Of.Rise->Middle) : "?",
         G.Of.Unbounded ? "grows" : ""});
  }
  Out += T.render(S);
  if (std::ranges::any_of(All.begin(),
                          All.begin() + static_cast<ptrdiff_t>(Rows),
                          [](const TypeGrowth &G) { return !G.Of.Rise; }))
    Out += paint(S, Paint::Dim,
                 cutEnd(S,
                        P.TimelineUnit.empty()
                            ? fmt::format("  ?: fewer than {} summaries are "
                                          "too few for a slope",
                                          kLeastSamples)
                            : "  ?: a slope is of time, which was not recorded",
                        S.Width)) +
           '\n';
  if (Rows < All.size())
    Out += moreRows(S, All.size() - Rows, "type") + '\n';
  return Out;
}

std::string timelineCsv(const Profile &P) {
  std::string Out = "type,ns,kind,name,live_bytes\r\n";
  for (const TypeGrowth &G : growthOfTypes(P))
    for (size_t I = 0; I < P.Timeline.size(); ++I)
      Out += fmt::format("{},{},{},{},{}\r\n",
                         csvField(P.Types[G.Type].Name.value_or("")),
                         P.Timeline[I].Ns, P.Timeline[I].Kind,
                         csvField(P.Timeline[I].Name), G.LiveBytes[I]);
  return Out;
}

} // namespace inmem::report
