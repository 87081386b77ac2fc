//===- BucketTable.cpp - Lifetimes of types in buckets --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"
#include "report/text/Sections.h"

#include <algorithm>

namespace inmem::report {

/// `bytes:blocks` for each type and bucket, and live ones; sums at the bottom.
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
  // Column by column, because wide tables may be split.
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
