//===- AtPeak.cpp - Live blocks when the process had most -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Arithmetic.h"
#include "report/model/LibraryCode.h"
#include "report/text/LocationText.h"
#include "report/text/Sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace inmem::report {

namespace {

/// A type or a site, and its part that was alive at the peak.
template <class Result> struct Row {
  Result Of;
  AtPeak Alive;
};

template <class Result> void mostFirst(std::vector<Row<Result>> &Rows) {
  std::ranges::stable_sort(
      Rows, [](const Row<Result> &A, const Row<Result> &B) {
        // A known figure precedes an upper bound that is not higher.
        return std::pair(A.Alive.BytesAtMost, A.Alive.BytesAtLeast) >
               std::pair(B.Alive.BytesAtMost, B.Alive.BytesAtLeast);
      });
}

/// \p All minus \p Part.
AtPeak without(const AtPeak &All, const AtPeak &Part) {
  return {minus(All.BytesAtLeast, Part.BytesAtMost),
          minus(All.BytesAtMost, Part.BytesAtLeast),
          minus(All.BlocksAtLeast, Part.BlocksAtMost),
          minus(All.BlocksAtMost, Part.BlocksAtLeast)};
}

/// Rows in descending order, without the C and C++ libraries' own blocks.
struct Rows {
  std::vector<Row<TypeRow>> Types;
  std::vector<Row<const SiteResult *>> Sites;
  AtPeak Libraries;
};

Rows rowsOf(const Profile &P) {
  Rows Out;
  std::map<const TypeResult *, AtPeak> LibrariesOf;
  for (const SiteResult &R : P.Sites) {
    if (!R.Peak || R.Peak->BytesAtMost == 0)
      continue;
    if (isLibraryMemory(P, R)) {
      Out.Libraries.add(*R.Peak);
      LibrariesOf[&P.Types[R.Type]].add(*R.Peak);
    } else {
      Out.Sites.push_back({&R, *R.Peak});
    }
  }
  for (const TypeRow &R : typeRowsOf(P))
    if (const auto &Peak = R.aliveAtPeak();
        Peak && Peak->BytesAtMost > 0 && !R.isLibrarys()) {
      const AtPeak Own = R.Kind ? *Peak : without(*Peak, LibrariesOf[R.Type]);
      if (Own.BytesAtMost > 0)
        Out.Types.push_back({R, Own});
    }
  mostFirst(Out.Sites);
  mostFirst(Out.Types);
  return Out;
}

/// A separate line for memory that the libraries keep.
std::string librariesText(const Style &S, const AtPeak &A) {
  const bool Known = A.bytes().has_value();
  std::string Much = humanBytes(A.BytesAtMost);
  if (!Known)
    Much.insert(0, S.Unicode ? "≤" : "<=");
  if (A.blocks())
    Much += " in " + counted(*A.blocks(), "block");
  return fmt::format("{} {} the C and C++ libraries' own", Much,
                     Known ? "are" : "may be");
}

} // namespace

/// Omitted if the peak was at the end.
void peakSection(Sheet &To, const ReportContext &In, SiteLines &Lines) {
  if (!In.P.PeakLiveBytes || *In.P.PeakLiveBytes == In.P.Totals.LiveBytes)
    return;
  const auto [Types, Sites, Libraries] = rowsOf(In.P);
  if (Types.empty())
    return;
  bool Bounded = false;
  const auto Figures = [&](const AtPeak &A) {
    Bounded |= !A.bytes() || !A.blocks();
    return std::vector<std::string>{
        atMost(In.S, humanBytes(A.BytesAtMost), A.bytes().has_value()),
        !A.blocks() && A.BlocksAtMost > A.BytesAtMost // meaningless bound
            ? "?"
            : atMost(In.S, humanCount(A.BlocksAtMost), A.blocks().has_value()),
        atMost(In.S, humanShare(A.BytesAtMost, *In.P.PeakLiveBytes),
               A.bytes().has_value())};
  };
  const auto Columns = [](Table &T) {
    T.column({"bytes"});
    T.column({"blocks", true, false, 2});
    T.column({"share", true, false, 3});
  };
  To.title(
      fmt::format("ALIVE AT THE PEAK of {}", humanBytes(*In.P.PeakLiveBytes)));
  if (In.V.shows(By::Type)) {
    Table T;
    T.column({"type", false, true, 0, Paint::Bold, shortenName, 28});
    Columns(T);
    const size_t Most = someOf(In.V, Types.size());
    for (size_t I = 0; I < Most; ++I) {
      std::vector<std::string> Cells = {typeText(In.S, Types[I].Of)};
      for (std::string &Figure : Figures(Types[I].Alive))
        Cells.push_back(std::move(Figure));
      T.row(std::move(Cells));
    }
    To.table(T);
    To.more(Types.size() - Most, "type");
    To.line("");
  }
  Table T;
  Columns(T);
  addTypeAndLine(T, In.S, "allocated by");
  const size_t Most = someOf(In.V, Sites.size());
  std::vector<std::string> Locations =
      Lines.each(Sites, Most, [](const auto &Row) { return Row.Of; });
  for (size_t I = 0; I < Most; ++I) {
    std::vector<std::string> Cells = Figures(Sites[I].Alive);
    Cells.push_back(blocksText(In.S, In.P, *Sites[I].Of));
    Cells.push_back(std::move(Locations[I]));
    T.row(std::move(Cells));
  }
  To.table(T);
  To.more(Sites.size() - Most, "site");
  if (Libraries.BytesAtMost > 0) {
    Bounded |= !Libraries.bytes();
    To.paragraph(librariesText(In.S, Libraries), 2);
  }
  if (Bounded)
    To.paragraph(fmt::format("{}: at most; the trace does not tell exactly",
                             In.S.Unicode ? "≤" : "<="),
                 2, {}, Paint::Dim);
}

} // namespace inmem::report
