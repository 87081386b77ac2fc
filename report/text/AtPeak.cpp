//===- AtPeak.cpp - What was alive when the process had most --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/PlaceText.h"
#include "report/text/Printer.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

/// Rows that had something, most first.
template <class Result>
std::vector<const Result *> rowsOf(const std::vector<Result> &All) {
  std::vector<const Result *> Rows;
  for (const Result &R : All)
    if (R.Peak && R.Peak->BytesAtMost > 0)
      Rows.push_back(&R);
  std::ranges::stable_sort(Rows, [](const Result *A, const Result *B) {
    // What is known comes before a bound that is no higher.
    return std::pair(A->Peak->BytesAtMost, A->Peak->BytesAtLeast) >
           std::pair(B->Peak->BytesAtMost, B->Peak->BytesAtLeast);
  });
  return Rows;
}

} // namespace

/// Left out where it is what was alive at the end.
void Printer::atPeak() {
  if (!P.PeakLiveBytes || *P.PeakLiveBytes == P.Totals.LiveBytes)
    return;
  const auto Types = rowsOf(P.Types);
  const auto Sites = rowsOf(P.Sites);
  if (Types.empty())
    return;
  bool Bounded = false;
  const auto Figures = [&](const AtPeak &A) {
    Bounded |= !A.bytes() || !A.blocks();
    return std::vector<std::string>{
        atMost(humanBytes(A.BytesAtMost), A.bytes().has_value()),
        !A.blocks() && A.BlocksAtMost > A.BytesAtMost // says nothing
            ? "?"
            : atMost(humanCount(A.BlocksAtMost), A.blocks().has_value()),
        atMost(humanShare(A.BytesAtMost, *P.PeakLiveBytes),
               A.bytes().has_value())};
  };
  const auto Columns = [](Table &T) {
    T.column({"bytes"});
    T.column({"blocks", true, false, 2});
    T.column({"share", true, false, 3});
  };
  title(fmt::format("ALIVE AT THE PEAK of {}", humanBytes(*P.PeakLiveBytes)));
  if (V.shows(By::Type)) {
    Table T;
    T.column({"type", false, true, 0, Paint::Bold, shortenName, 28});
    Columns(T);
    const size_t Most = someOf(Types.size());
    for (size_t I = 0; I < Most; ++I) {
      std::vector<std::string> Cells = {typeText(S, *Types[I])};
      for (std::string &Figure : Figures(*Types[I]->Peak))
        Cells.push_back(std::move(Figure));
      T.row(std::move(Cells));
    }
    Out += T.render(S);
    more(Types.size() - Most, "type");
    line("");
  }
  Table T;
  Columns(T);
  T.column({.Title = "type",
            .Right = false,
            .Importance = 1,
            .With = Paint::Bold,
            .Fit = shortenName,
            .Widest = typeRoom()});
  T.column({"made by", false, true, 0, Paint::None, fitPlace, narrowPlace(),
            withoutBracket});
  const size_t Most = someOf(Sites.size());
  std::vector<std::string> Places;
  for (size_t I = 0; I < Most; ++I)
    Places.push_back(madeBy(*Sites[I]));
  tellApart(Places,
            {Sites.begin(), Sites.begin() + static_cast<ptrdiff_t>(Most)});
  for (size_t I = 0; I < Most; ++I) {
    const SiteResult &R = *Sites[I];
    std::vector<std::string> Cells = Figures(*R.Peak);
    Cells.push_back(blocksText(S, P, R));
    Cells.push_back(std::move(Places[I]));
    T.row(std::move(Cells));
  }
  Out += T.render(S);
  more(Sites.size() - Most, "site");
  if (Bounded)
    paragraph(fmt::format("{}: at most; the trace does not tell exactly",
                          S.Unicode ? "≤" : "<="),
              2, {}, Paint::Dim);
}

} // namespace inmem::report
