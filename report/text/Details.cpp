//===- Details.cpp - One type after another -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"
#include "report/text/Sections.h"
#include "report/text/ViewReports.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

static void bars(Sheet &To, const ReportContext &In, const TypeRow &R) {
  const Lifetime &Life = R.life();
  const Counts &Sum = R.sum();
  if (!Life.known() || In.S.Width < 34) // label and bar do not fit
    return;
  // No finer than the clock's resolution.
  std::vector<uint64_t> Edges = barEdges(*Life.Min, *Life.Max);
  std::erase_if(Edges, [&](uint64_t E) { return E < In.P.Resolution; });
  const std::vector<Bucket> Rows = Life.Lifetimes.between(Edges);
  const uint64_t Whole = Life.Count + Sum.LiveAllocations;
  uint64_t Most = Sum.LiveAllocations;
  for (const Bucket &B : Rows)
    Most = std::max(Most, B.Count);
  const size_t Room =
      std::clamp<size_t>(In.S.Width > 62 ? In.S.Width - 62 : 6, 6, 48);
  const auto Row = [&](const std::string &Label, uint64_t Count, uint64_t Bytes,
                       Paint With) {
    const std::string Bar =
        bar(In.S, static_cast<double>(Count) / static_cast<double>(Most), Room);
    const size_t Pad = Room - std::min(Room, displayWidth(Bar));
    const size_t LabelRoom = 24;
    std::string Left = cutEnd(In.S, Label, LabelRoom);
    Left.insert(0, LabelRoom - displayWidth(Left), ' ');
    std::string Text = "  " + Left + (In.S.Unicode ? " │" : " |");
    Text += paint(In.S, With, Bar) + std::string(Pad, ' ');
    size_t Used = 2 + LabelRoom + 2 + Room;
    for (const std::string &Figure :
         {fmt::format(" {:>7}", humanShare(Count, Whole)),
          fmt::format(" {:>9}", humanCount(Count)),
          fmt::format(" {:>9}", humanBytes(Bytes))})
      if ((Used += Figure.size()) <= In.S.Width)
        Text += Figure;
    To.line(Text);
  };
  // The rows between the first and the last that have blocks.
  size_t First = 0, Last = Rows.size();
  while (First < Last && Rows[First].Count == 0)
    ++First;
  while (Last > First && Rows[Last - 1].Count == 0)
    --Last;
  const auto Name = [&](uint64_t Value) {
    return humanLifetime(Value, In.P.LifetimeUnit, In.S.Unicode);
  };
  for (size_t I = First; I < Last; ++I) {
    Bucket B = Rows[I];
    // Adjacent empty rows are one row.
    for (; B.Count == 0 && I + 1 < Last && Rows[I + 1].Count == 0; ++I)
      B.To = Rows[I + 1].To;
    Row(B.To == ~uint64_t{0}
            ? (In.S.Unicode ? "≥ " : ">= ") + Name(B.From)
            : Name(B.From) + (In.S.Unicode ? " – " : " - ") + Name(B.To),
        B.Count, B.Bytes, Paint::Cyan);
  }
  if (Sum.LiveAllocations > 0)
    Row("still alive", Sum.LiveAllocations, Sum.LiveBytes, Paint::Red);
}

static void facts(Sheet &To, const ReportContext &In, const TypeRow &R) {
  const TypeResult &T = *R.Type;
  const Counts &Sum = R.sum();
  const Lifetime &Life = R.life();
  // Elements are counted by type, not by kind.
  const auto Elements = R.Kind ? std::nullopt : T.Elements;
  std::vector<std::string> Facts;
  // A header followed by its data is smaller than its block.
  if (T.Size && Sum.allocations() && Sum.allocatedBytes() &&
      Elements.value_or(Sum.Allocations) == Sum.Allocations &&
      Sum.AllocatedBytes > Sum.Allocations * *T.Size)
    Facts.insert(Facts.end(),
                 {humanBytes(Sum.AllocatedBytes / Sum.Allocations) + " a block",
                  exactBytes(*T.Size) + " the type"});
  else if (T.Size)
    Facts.push_back(exactBytes(*T.Size) + " each");
  if (const auto Blocks = Sum.allocations())
    Facts.push_back(humanCount(*Blocks) +
                    (*Blocks == 1 ? " block" : " blocks"));
  if (Elements && *Elements != Sum.Allocations)
    Facts.push_back(humanCount(*Elements) + " elements");
  if (Sum.allocatedBytes())
    Facts.push_back(humanBytes(Sum.AllocatedBytes) + " (" +
                    humanShare(Sum.AllocatedBytes, In.P.Totals.AllocatedBytes) +
                    ")");
  if (Sum.Estimated)
    Facts.push_back(fmt::format("± {} blocks, ± {} (95 % confidence)",
                                humanCount(Sum.allocationsWithin()),
                                humanBytes(Sum.bytesWithin())));
  if (R.peak())
    Facts.push_back("peak " + humanBytes(*R.peak()));
  else if (R.peakAtMost())
    Facts.push_back("peak " + atMost(In.S, humanBytes(*R.peakAtMost()), false));
  if (Sum.LiveAllocations > 0 && Sum.liveBytes())
    Facts.push_back(Sum.liveAllocations()
                        ? fmt::format("still alive {} in {}",
                                      humanBytes(Sum.LiveBytes),
                                      humanCount(Sum.LiveAllocations))
                        : "still alive " + humanBytes(Sum.LiveBytes));
  if (Sum.Temporary > 0)
    Facts.push_back(humanShare(Sum.Temporary, Sum.Allocations) + " temporary");
  To.wrapped(Facts, 2);
  if (Life.known()) {
    std::vector<std::string> Lifetimes = {
        (In.P.LifetimeUnit == Unit::Bytes ? "lifetime in allocated bytes "
                                          : "lived ") +
        (*Life.Min < In.P.Resolution
             ? "<" + humanLifetime(In.P.Resolution, In.P.LifetimeUnit,
                                   In.S.Unicode)
             : lifetimeText(In, Life.Min)) +
        " to " + lifetimeText(In, Life.Max)};
    Lifetimes.push_back("mean " + lifetimeText(In, Life.Mean));
    Lifetimes.push_back("median " + lifetimeText(In, Life.P50));
    Lifetimes.push_back("p90 " + lifetimeText(In, Life.P90));
    Lifetimes.push_back("p99 " + lifetimeText(In, Life.P99));
    if (Life.Timed < Life.Count)
      Lifetimes.push_back(humanShare(Life.Timed, Life.Count) + " timed");
    To.wrapped(Lifetimes, 2);
  }
  if (const Lifetime &L = T.LifetimeInAllocations; L.known() && !R.Kind)
    To.wrapped({"lifetime in allocations " + humanCount(*L.Min) + " to " +
                    humanCount(*L.Max),
                "mean " + humanCount(*L.Mean), "median " + humanCount(*L.P50),
                "p90 " + humanCount(*L.P90), "p99 " + humanCount(*L.P99)},
               2);
}

/// The code that allocates its blocks.
static void sitesOf(Sheet &To, const ReportContext &In, SiteLines &Lines,
                    const TypeRow &Of) {
  Table Sites;
  const MainBytes Main = mainBytes(In.P);
  const uint64_t Whole =
      Of.sum().allocatedBytes() ? Of.sum().AllocatedBytes : Main.Whole;
  Sites.column({Main.Title});
  Sites.column({"share", true, false, 1});
  Sites.column({"blocks"});
  Sites.column({"live", true, false, 2});
  Sites.column(locationColumn("allocated by", Paint::None, 20, true));
  const size_t Listed = std::min(Of.sites().size(), In.O.SitesEach);
  std::vector<const SiteResult *> Rows;
  Rows.reserve(Listed);
  for (size_t I = 0; I < Listed; ++I)
    Rows.push_back(&In.P.Sites[Of.sites()[I]]);
  std::vector<std::string> Locations = Lines.each(Rows);
  uint64_t Rest = 0;
  for (size_t I = Listed; I < Of.sites().size(); ++I)
    Rest += In.P.Sites[Of.sites()[I]].Sum.AllocatedBytes;
  for (size_t I = 0; I < Listed; ++I) {
    const SiteResult &R = *Rows[I];
    std::vector<std::string> Cells = {humanBytes(R.Sum.AllocatedBytes),
                                      humanShare(R.Sum.AllocatedBytes, Whole),
                                      humanCount(R.Sum.allocations()),
                                      bytesOrDash(R.Sum.liveBytes())};
    Cells.push_back(std::move(Locations[I]));
    Sites.row(std::move(Cells));
  }
  if (!Sites.empty())
    To.table(Sites, 4);
  if (Of.sites().size() > In.O.SitesEach)
    To.more(Of.sites().size() - In.O.SitesEach, "site", humanBytes(Rest), {},
            4);
}

static void typeDetails(Sheet &To, const ReportContext &In, SiteLines &Lines,
                        const TypeRow &R) {
  const TypeResult &T = *R.Type;
  To.line("");
  const std::string Shown = typeText(In.S, R);
  To.line(paint(In.S, Paint::Bold, shortenName(In.S, Shown, In.S.Width)));
  if (T.Name) {
    const std::string Exact = printable(In.S, *T.Name);
    if (Exact != Shown)
      To.line("  " + paint(In.S, Paint::Dim,
                           shortenName(In.S, Exact,
                                       In.S.Width > 2 ? In.S.Width - 2 : 1)));
  }
  facts(To, In, R);
  bars(To, In, R);
  sitesOf(To, In, Lines, R);
  constexpr size_t kStacks = 3;
  To.append(stacksOfTypeText(In.P, R, In.S, kStacks));
}

void detailsSection(Sheet &To, const ReportContext &In, SiteLines &Lines) {
  const std::vector<TypeRow> Rows = selectTypeRows(In.P, In.V);
  if (In.O.Details == 0 || Rows.empty())
    return;
  To.title("DETAILS");
  for (size_t I = 0; I < Rows.size() && I < In.O.Details; ++I)
    typeDetails(To, In, Lines, Rows[I]);
}

} // namespace inmem::report
