//===- TypeTable.cpp - Types, and their lifetimes in buckets --------------===//
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
  const auto Peak = [&](const TypeRow &R) {
    return R.peak()         ? humanBytes(*R.peak())
           : R.peakAtMost() ? atMost(In.S, humanBytes(*R.peakAtMost()), false)
                            : std::string("?");
  };
  // Names come before the finer shape of lifetimes.
  const auto Scale =
      scaleOf(Lifetimes, In.P, std::clamp(In.S.Width / 7, 10u, 32u));
  Table T;
  T.column({"type", false, true, 0, Paint::Bold, shortenName, 28});
  const bool Sums = In.P.Totals.allocatedBytes().has_value();
  if (Sums) {
    T.column({"bytes"});
    T.column({"share", true, false, 4});
    T.column({"blocks"});
  }
  T.column({"live", true, false, 2});
  const bool Peaks = std::ranges::any_of(
      Rows, [](const TypeRow &R) { return R.peak() || R.peakAtMost(); });
  if (Peaks)
    T.column({"peak", true, false, 5});
  T.column({"p50", true, false, 3});
  T.column({"p99", true, false, 6});
  if (Scale)
    T.column({.Title = Scale->axis(In.S),
              .Right = false,
              .Importance = 1,
              .With = Paint::Cyan,
              .Called = "lifetimes"});
  for (const TypeRow &R : Rows) {
    std::vector<std::string> Cells = {typeText(In.S, R)};
    if (Sums)
      Cells.insert(Cells.end(), {humanBytes(R.sum().AllocatedBytes),
                                 humanShare(R.sum().AllocatedBytes,
                                            In.P.Totals.AllocatedBytes),
                                 humanCount(R.sum().allocations())});
    Cells.push_back(bytesOrDash(R.sum().liveBytes()));
    if (Peaks)
      Cells.push_back(Peak(R));
    Cells.push_back(lifetimeText(In, R.life().P50));
    Cells.push_back(lifetimeText(In, R.life().P99));
    if (Scale)
      Cells.push_back(Scale->spark(In.S, R.life().Lifetimes));
    T.row(std::move(Cells));
  }
  To.table(T);
  To.more(AllRows.size() - Rows.size(), "type", humanBytes(All - Shown));
}

/// The seed's table: bytes:blocks for each class and bucket, and what is
/// alive; sums below.
void bucketSection(Sheet &To, const ReportContext &In) {
  const std::vector<TypeRow> Rows = selectTypeRows(In.P, In.V);
  To.title("LIFETIMES (bytes:blocks)");
  const auto Edge = [&](size_t I) {
    return humanLifetime(In.V.Edges[I], In.P.LifetimeUnit, In.S.Unicode);
  };
  const auto Cell = [](uint64_t Bytes, uint64_t Count) {
    return Count == 0 ? std::string("-")
                      : humanBytes(Bytes) + ":" + humanCount(Count);
  };
  // Column by column, since wide ones may need several tables.
  std::vector<std::string> Names, Titles;
  std::vector<std::vector<std::string>> Cells;
  for (size_t I = 0; I <= In.V.Edges.size(); ++I)
    Titles.push_back(I == 0 ? "< " + Edge(0)
                     : I == In.V.Edges.size()
                         ? (In.S.Unicode ? "≥ " : ">= ") + Edge(I - 1)
                         : Edge(I - 1) + " - " + Edge(I));
  Titles.emplace_back("live");
  const auto Row = [&](std::string Name, const std::vector<Bucket> &Parts,
                       const Counts &Sum) {
    Names.push_back(std::move(Name));
    Cells.emplace_back();
    for (const Bucket &B : Parts)
      Cells.back().push_back(Cell(B.Bytes, B.Count));
    Cells.back().push_back(Cell(Sum.LiveBytes, Sum.LiveAllocations));
  };
  std::vector<Bucket> Sum(In.V.Edges.size() + 1);
  Counts All;
  for (const TypeResult &R : In.P.Types) {
    const auto Parts = R.Life.Lifetimes.between(In.V.Edges);
    for (size_t J = 0; J < Parts.size(); ++J) {
      Sum[J].Count += Parts[J].Count;
      Sum[J].Bytes += Parts[J].Bytes;
    }
    All.add(R.Sum);
  }
  for (const TypeRow &R : Rows)
    Row(typeText(In.S, R), R.life().Lifetimes.between(In.V.Edges), R.sum());
  Row("all types", Sum, All);
  constexpr size_t kNameRoom = 20;
  for (size_t First = 0; First < Titles.size();) {
    Table T;
    T.column({"type", false, true, 0, Paint::Bold, shortenName});
    size_t Used = 2 + kNameRoom, Next = First;
    for (; Next < Titles.size(); ++Next) {
      size_t Widest = displayWidth(Titles[Next]);
      for (const auto &Some : Cells)
        Widest = std::max(Widest, displayWidth(Some[Next]));
      if (Used + 2 + Widest > In.S.Width && Next > First)
        break;
      Used += 2 + Widest;
      T.column({Titles[Next]});
    }
    for (size_t I = 0; I < Names.size(); ++I) {
      std::vector<std::string> Line = {Names[I]};
      Line.insert(Line.end(), Cells[I].begin() + static_cast<ptrdiff_t>(First),
                  Cells[I].begin() + static_cast<ptrdiff_t>(Next));
      T.row(std::move(Line));
    }
    if (First > 0)
      To.line("");
    To.table(T);
    First = Next;
  }
}

} // namespace inmem::report
