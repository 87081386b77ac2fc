//===- LineFigures.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/compare/LineFigures.h"

#include "report/model/LibraryCode.h"
#include "report/names/TypeName.h"

#include <algorithm>

namespace inmem::report {

static bool isUserLine(const SourceLocation &At) {
  return At.Line > 0 && isUserPath(At.File);
}

FileLines lineFiguresOf(const Profile &P) {
  FileLines Out;
  for (size_t I = 0; I < P.Sites.size(); ++I) { // largest first
    const SourceLocation &At = locationOf(P.Sites[I]);
    if (!isUserLine(At))
      continue;
    LineFigures &Line = Out[At.File][At.Line];
    Line.Sites.push_back(I);
    Line.Sum.add(P.Sites[I].Sum);
  }
  for (auto &[File, Lines] : Out)
    for (auto &[Number, Line] : Lines) {
      if (Line.Sites.size() == 1) {
        Line.P50 = P.Sites[Line.Sites[0]].Life.P50;
        continue;
      }
      Histogram All;
      for (const size_t I : Line.Sites)
        All.add(P.Sites[I].Life.Lifetimes);
      if (!All.empty())
        Line.P50 = All.quantile(0.5);
    }
  return Out;
}

FileChanges lineChangesOf(const Diff &D) {
  FileChanges Out;
  for (const DiffRow &R : D.Sites) { // largest change first
    const DiffSide &Side = R.New.There ? R.New : R.Old;
    for (const SourceLocation &At : Side.Locations) {
      if (!isUserLine(At))
        continue;
      LineChange &Line = Out[At.File][At.Line];
      if (R.Old.There)
        Line.Old.add(R.Old.Median);
      if (R.New.There)
        Line.New.add(R.New.Median);
      Line.WasThere |= R.Old.There;
      Line.IsThere |= R.New.There;
      Line.Shared |= Side.Locations.size() > 1;
      if (std::ranges::find(Line.Blocks, R.Blocks) == Line.Blocks.end())
        Line.Blocks.push_back(R.Blocks);
    }
  }
  return Out;
}

bool mayBeFile(std::string_view InTrace, std::string_view Path) {
  while (InTrace.starts_with("./"))
    InTrace.remove_prefix(2);
  return InTrace == Path || (!InTrace.empty() && !InTrace.starts_with('/') &&
                             Path.ends_with(InTrace) &&
                             Path[Path.size() - InTrace.size() - 1] == '/');
}

} // namespace inmem::report
