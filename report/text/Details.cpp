//===- Details.cpp - One type after another -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"
#include "report/text/Sections.h"
#include "report/text/StackReport.h"
#include "report/text/TypeText.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

static void bars(Sheet &To, const ReportContext &In, const TypeResult &T) {
  if (!T.Life.known() || In.S.Width < 34) // no room for label and bar
    return;
  // No finer than the clock's resolution.
  std::vector<uint64_t> Edges = barEdges(*T.Life.Min, *T.Life.Max);
  std::erase_if(Edges, [&](uint64_t E) { return E < In.P.Resolution; });
  const std::vector<Bucket> Rows = T.Life.Lifetimes.between(Edges);
  const uint64_t Whole = T.Life.Count + T.Sum.LiveAllocations;
  uint64_t Most = T.Sum.LiveAllocations;
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
    // Empty ones in one row.
    for (; B.Count == 0 && I + 1 < Last && Rows[I + 1].Count == 0; ++I)
      B.To = Rows[I + 1].To;
    Row(B.To == ~uint64_t{0}
            ? (In.S.Unicode ? "≥ " : ">= ") + Name(B.From)
            : Name(B.From) + (In.S.Unicode ? " – " : " - ") + Name(B.To),
        B.Count, B.Bytes, Paint::Cyan);
  }
  if (T.Sum.LiveAllocations > 0)
    Row("still alive", T.Sum.LiveAllocations, T.Sum.LiveBytes, Paint::Red);
}

static void facts(Sheet &To, const ReportContext &In, const TypeResult &T) {
  std::vector<std::string> Facts;
  // A header with its data behind it is smaller than its block.
  if (T.Size && T.Sum.allocations() && T.Sum.allocatedBytes() &&
      T.Elements.value_or(T.Sum.Allocations) == T.Sum.Allocations &&
      T.Sum.AllocatedBytes > T.Sum.Allocations * *T.Size)
    Facts.insert(
        Facts.end(),
        {humanBytes(T.Sum.AllocatedBytes / T.Sum.Allocations) + " a block",
         exactBytes(*T.Size) + " the type"});
  else if (T.Size)
    Facts.push_back(exactBytes(*T.Size) + " each");
  if (const auto Blocks = T.Sum.allocations())
    Facts.push_back(humanCount(*Blocks) +
                    (*Blocks == 1 ? " block" : " blocks"));
  if (T.Elements && *T.Elements != T.Sum.Allocations)
    Facts.push_back(humanCount(*T.Elements) + " elements");
  if (T.Sum.allocatedBytes())
    Facts.push_back(
        humanBytes(T.Sum.AllocatedBytes) + " (" +
        humanShare(T.Sum.AllocatedBytes, In.P.Totals.AllocatedBytes) + ")");
  if (T.Sum.Estimated)
    Facts.push_back(fmt::format("± {} blocks, ± {} (95 % confidence)",
                                humanCount(T.Sum.allocationsWithin()),
                                humanBytes(T.Sum.bytesWithin())));
  if (T.PeakLiveBytes)
    Facts.push_back("peak " + humanBytes(*T.PeakLiveBytes));
  if (T.Sum.LiveAllocations > 0 && T.Sum.liveBytes())
    Facts.push_back(T.Sum.liveAllocations()
                        ? fmt::format("still alive {} in {}",
                                      humanBytes(T.Sum.LiveBytes),
                                      humanCount(T.Sum.LiveAllocations))
                        : "still alive " + humanBytes(T.Sum.LiveBytes));
  if (T.Sum.Temporary > 0)
    Facts.push_back(humanShare(T.Sum.Temporary, T.Sum.Allocations) +
                    " temporary");
  To.wrapped(Facts, 2);
  if (T.Life.known()) {
    std::vector<std::string> Lifetimes = {
        (In.P.LifetimeUnit == Unit::Bytes ? "lifetime in allocated bytes "
                                          : "lived ") +
        (*T.Life.Min < In.P.Resolution
             ? "<" + humanLifetime(In.P.Resolution, In.P.LifetimeUnit,
                                   In.S.Unicode)
             : lifetimeText(In, T.Life.Min)) +
        " to " + lifetimeText(In, T.Life.Max)};
    Lifetimes.push_back("mean " + lifetimeText(In, T.Life.Mean));
    Lifetimes.push_back("p50 " + lifetimeText(In, T.Life.P50));
    Lifetimes.push_back("p90 " + lifetimeText(In, T.Life.P90));
    Lifetimes.push_back("p99 " + lifetimeText(In, T.Life.P99));
    if (T.Life.Timed < T.Life.Count)
      Lifetimes.push_back(humanShare(T.Life.Timed, T.Life.Count) + " timed");
    To.wrapped(Lifetimes, 2);
  }
  if (const Lifetime &L = T.LifetimeInAllocations; L.known())
    To.wrapped({"lifetime in allocations " + humanCount(*L.Min) + " to " +
                    humanCount(*L.Max),
                "mean " + humanCount(*L.Mean), "p50 " + humanCount(*L.P50),
                "p90 " + humanCount(*L.P90), "p99 " + humanCount(*L.P99)},
               2);
}

/// Where its blocks come from.
static void sitesOf(Sheet &To, const ReportContext &In, SiteLines &Lines,
                    const TypeResult &T) {
  Table Sites;
  const MainBytes Main = mainBytes(In.P);
  const uint64_t Whole =
      T.Sum.allocatedBytes() ? T.Sum.AllocatedBytes : Main.Whole;
  Sites.column({Main.Title});
  Sites.column({"share", true, false, 1});
  Sites.column({"blocks"});
  Sites.column({"live", true, false, 2});
  const bool Told = std::ranges::any_of(T.Sites, [&](size_t I) {
    return In.P.Sites[I].Alias != In.P.Sites[T.Sites[0]].Alias;
  });
  if (Told)
    Sites.column({.Title = "type",
                  .Right = false,
                  .Importance = 3,
                  .Fit = shortenName,
                  .Widest = In.S.Width / 4,
                  .Names = true});
  Sites.column(locationColumn("made by", Paint::None, 20, true));
  const size_t Listed = std::min(T.Sites.size(), In.O.SitesEach);
  std::vector<const SiteResult *> Rows;
  Rows.reserve(Listed);
  for (size_t I = 0; I < Listed; ++I)
    Rows.push_back(&In.P.Sites[T.Sites[I]]);
  std::vector<std::string> Locations = Lines.each(Rows);
  uint64_t Rest = 0;
  for (size_t I = Listed; I < T.Sites.size(); ++I)
    Rest += In.P.Sites[T.Sites[I]].Sum.AllocatedBytes;
  for (size_t I = 0; I < Listed; ++I) {
    const SiteResult &R = *Rows[I];
    std::vector<std::string> Cells = {humanBytes(R.Sum.AllocatedBytes),
                                      humanShare(R.Sum.AllocatedBytes, Whole),
                                      humanCount(R.Sum.allocations()),
                                      bytesOrDash(R.Sum.liveBytes())};
    if (Told)
      Cells.push_back(blocksText(In.S, In.P, R));
    Cells.push_back(std::move(Locations[I]));
    Sites.row(std::move(Cells));
  }
  if (!Sites.empty())
    To.table(Sites, 4);
  if (T.Sites.size() > In.O.SitesEach)
    To.more(T.Sites.size() - In.O.SitesEach, "site", humanBytes(Rest), {}, 4);
}

static void typeDetails(Sheet &To, const ReportContext &In, SiteLines &Lines,
                        const TypeResult &T) {
  To.line("");
  const std::string Shown = typeText(In.S, T);
  To.line(paint(In.S, Paint::Bold, shortenName(In.S, Shown, In.S.Width)));
  if (T.Name) {
    const std::string Exact = printable(In.S, *T.Name);
    if (Exact != Shown)
      To.line("  " + paint(In.S, Paint::Dim,
                           shortenName(In.S, Exact,
                                       In.S.Width > 2 ? In.S.Width - 2 : 1)));
  }
  facts(To, In, T);
  bars(To, In, T);
  sitesOf(To, In, Lines, T);
  constexpr size_t kStacks = 3;
  To.append(stacksOfTypeText(In.P, static_cast<size_t>(&T - In.P.Types.data()),
                             In.S, kStacks));
}

void detailsSection(Sheet &To, const ReportContext &In, SiteLines &Lines) {
  const std::vector<size_t> Rows = selectTypes(In.P, In.V);
  if (In.O.Details == 0 || Rows.empty())
    return;
  To.title("DETAILS");
  for (size_t I = 0; I < Rows.size() && I < In.O.Details; ++I)
    typeDetails(To, In, Lines, In.P.Types[Rows[I]]);
}

} // namespace inmem::report
