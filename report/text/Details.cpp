//===- Details.cpp - One type after another -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"
#include "report/text/Printer.h"
#include "report/text/StackReport.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

void Printer::bars(const TypeResult &T) {
  if (!T.Life.known() || S.Width < 34) // no room for label and bar
    return;
  // No finer than the clock's resolution.
  std::vector<uint64_t> Edges = barEdges(*T.Life.Min, *T.Life.Max);
  std::erase_if(Edges, [&](uint64_t E) { return E < P.Resolution; });
  const std::vector<Bucket> Rows = T.Life.Lives.between(Edges);
  const uint64_t Whole = T.Life.Count + T.Sum.LiveAllocations;
  uint64_t Most = T.Sum.LiveAllocations;
  for (const Bucket &B : Rows)
    Most = std::max(Most, B.Count);
  const size_t Room =
      std::clamp<size_t>(S.Width > 62 ? S.Width - 62 : 6, 6, 48);
  const auto Row = [&](const std::string &Label, uint64_t Count, uint64_t Bytes,
                       Paint With) {
    const std::string Bar =
        bar(S, static_cast<double>(Count) / static_cast<double>(Most), Room);
    const size_t Pad = Room - std::min(Room, displayWidth(Bar));
    const size_t LabelRoom = 24;
    std::string Left = cutEnd(S, Label, LabelRoom);
    Left.insert(0, LabelRoom - displayWidth(Left), ' ');
    std::string Text = "  " + Left + (S.Unicode ? " │" : " |");
    Text += paint(S, With, Bar) + std::string(Pad, ' ');
    size_t Used = 2 + LabelRoom + 2 + Room;
    for (const std::string &Figure :
         {fmt::format(" {:>7}", humanShare(Count, Whole)),
          fmt::format(" {:>9}", humanCount(Count)),
          fmt::format(" {:>9}", humanBytes(Bytes))})
      if ((Used += Figure.size()) <= S.Width)
        Text += Figure;
    line(Text);
  };
  // The rows between the first and the last that have blocks.
  size_t First = 0, Last = Rows.size();
  while (First < Last && Rows[First].Count == 0)
    ++First;
  while (Last > First && Rows[Last - 1].Count == 0)
    --Last;
  const auto Name = [&](uint64_t Value) {
    return humanLife(Value, P.LifeUnit, S.Unicode);
  };
  for (size_t I = First; I < Last; ++I) {
    Bucket B = Rows[I];
    // Empty ones in one row.
    for (; B.Count == 0 && I + 1 < Last && Rows[I + 1].Count == 0; ++I)
      B.To = Rows[I + 1].To;
    Row(B.To == ~uint64_t{0}
            ? (S.Unicode ? "≥ " : ">= ") + Name(B.From)
            : Name(B.From) + (S.Unicode ? " – " : " - ") + Name(B.To),
        B.Count, B.Bytes, Paint::Cyan);
  }
  if (T.Sum.LiveAllocations > 0)
    Row("still alive", T.Sum.LiveAllocations, T.Sum.LiveBytes, Paint::Red);
}

void Printer::details(const TypeResult &T) {
  line("");
  const std::string Shown = typeText(S, T);
  line(paint(S, Paint::Bold, shortenName(S, Shown, S.Width)));
  if (T.Name) {
    const std::string Exact = printable(S, *T.Name);
    if (Exact != Shown)
      line("  " + paint(S, Paint::Dim,
                        shortenName(S, Exact, S.Width > 2 ? S.Width - 2 : 1)));
  }
  facts(T);
  bars(T);
  sitesOf(T);
  constexpr size_t kStacks = 3;
  Out +=
      stacksOfTypeText(P, static_cast<size_t>(&T - P.Types.data()), S, kStacks);
}

void Printer::facts(const TypeResult &T) {
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
    Facts.push_back(humanBytes(T.Sum.AllocatedBytes) + " (" +
                    humanShare(T.Sum.AllocatedBytes, P.Totals.AllocatedBytes) +
                    ")");
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
  wrapped(Facts, 2);
  if (T.Life.known()) {
    std::vector<std::string> Lives = {
        (P.LifeUnit == Unit::Bytes ? "lived (bytes allocated meanwhile) "
                                   : "lived ") +
        (*T.Life.Min < P.Resolution
             ? "<" + humanLife(P.Resolution, P.LifeUnit, S.Unicode)
             : life(T.Life.Min)) +
        " to " + life(T.Life.Max)};
    Lives.push_back("mean " + life(T.Life.Mean));
    Lives.push_back("p50 " + life(T.Life.P50));
    Lives.push_back("p90 " + life(T.Life.P90));
    Lives.push_back("p99 " + life(T.Life.P99));
    if (T.Life.Timed < T.Life.Count)
      Lives.push_back(humanShare(T.Life.Timed, T.Life.Count) + " timed");
    wrapped(Lives, 2);
  }
  if (const Lifetime &L = T.LifeInAllocations; L.known())
    wrapped({"lived (allocations made meanwhile) " + humanCount(*L.Min) +
                 " to " + humanCount(*L.Max),
             "mean " + humanCount(*L.Mean), "p50 " + humanCount(*L.P50),
             "p90 " + humanCount(*L.P90), "p99 " + humanCount(*L.P99)},
            2);
}

/// Where its blocks come from.
void Printer::sitesOf(const TypeResult &T) {
  Table Sites;
  const MainBytes Main = mainBytes(P);
  const uint64_t Whole =
      T.Sum.allocatedBytes() ? T.Sum.AllocatedBytes : Main.Whole;
  Sites.column({Main.Title});
  Sites.column({"share", true, false, 1});
  Sites.column({"blocks"});
  Sites.column({"live", true, false, 2});
  const bool Told = std::ranges::any_of(T.Sites, [&](size_t I) {
    return P.Sites[I].Alias != P.Sites[T.Sites[0]].Alias;
  });
  if (Told)
    Sites.column({.Title = "type",
                  .Right = false,
                  .Importance = 3,
                  .Fit = shortenName,
                  .Widest = S.Width / 4});
  Sites.column(locationColumn("made by", Paint::None, 20, true));
  const size_t Listed = std::min(T.Sites.size(), O.SitesEach);
  std::vector<const SiteResult *> Rows;
  for (size_t I = 0; I < Listed; ++I)
    Rows.push_back(&P.Sites[T.Sites[I]]);
  std::vector<std::string> Locations = madeByEach(Rows);
  uint64_t Rest = 0;
  for (size_t I = Listed; I < T.Sites.size(); ++I)
    Rest += P.Sites[T.Sites[I]].Sum.AllocatedBytes;
  for (size_t I = 0; I < Listed; ++I) {
    const SiteResult &R = *Rows[I];
    std::vector<std::string> Cells = {humanBytes(R.Sum.AllocatedBytes),
                                      humanShare(R.Sum.AllocatedBytes, Whole),
                                      humanCount(R.Sum.allocations()),
                                      bytesOrDash(R.Sum.liveBytes())};
    if (Told)
      Cells.push_back(blocksText(S, P, R));
    Cells.push_back(std::move(Locations[I]));
    Sites.row(std::move(Cells));
  }
  if (!Sites.empty())
    Out += Sites.render(S, 4);
  if (T.Sites.size() > O.SitesEach)
    more(T.Sites.size() - O.SitesEach, "site", humanBytes(Rest), {}, 4);
}

} // namespace inmem::report
