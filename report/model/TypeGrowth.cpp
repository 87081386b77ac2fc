//===- TypeGrowth.cpp - Live bytes of each type over time -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/OverTime.h"

#include <algorithm>

namespace inmem::report {

bool isSnapshot(const TimePoint &P) {
  return P.Kind != "start" && P.Kind != "end";
}

size_t lastSnapshot(const Profile &P) {
  size_t Last = P.Timeline.size();
  while (Last > 1 && !isSnapshot(P.Timeline[Last - 1]))
    --Last;
  return Last - 1;
}

bool hasSummaries(const Profile &P) {
  return std::any_of(
      P.Timeline.begin(), P.Timeline.end(),
      [](const TimePoint &Point) { return Point.Kind == "periodic"; });
}

static std::vector<TypeGrowth> growthOf(const Profile &P,
                                        const std::vector<TypeRow> &Rows) {
  std::vector<TypeGrowth> Out;
  for (const TypeRow &R : Rows) {
    TypeGrowth G;
    G.Type = static_cast<size_t>(R.Type - P.Types.data());
    G.Row = R;
    G.LiveBytes = R.liveBytesAt();
    G.LiveBytes.resize(P.Timeline.size());
    std::vector<Sample> Samples;
    for (size_t K = 0; K < P.Timeline.size(); ++K)
      if (isSnapshot(P.Timeline[K]))
        Samples.push_back({P.Timeline[K].Ns, G.LiveBytes[K]});
    if (std::all_of(G.LiveBytes.begin(), G.LiveBytes.end(),
                    [](uint64_t Bytes) { return Bytes == 0; }))
      continue;
    if (P.TimelineUnit.empty()) // slopes need a time axis
      G.Of = growthOf(Samples);
    Out.push_back(std::move(G));
  }
  const auto Key = [](const TypeGrowth &G) {
    return std::pair(G.Of.Unbounded,
                     *std::max_element(G.LiveBytes.begin(), G.LiveBytes.end()));
  };
  std::stable_sort(
      Out.begin(), Out.end(), [&](const TypeGrowth &A, const TypeGrowth &B) {
        return Key(A) != Key(B) ? Key(A) > Key(B) : A.Type < B.Type;
      });
  return Out;
}

std::vector<TypeGrowth> growthOfTypes(const Profile &P) {
  std::vector<TypeRow> Rows;
  Rows.reserve(P.Types.size());
  for (const TypeResult &T : P.Types)
    Rows.push_back({&T});
  return growthOf(P, Rows);
}

std::vector<TypeGrowth> growthOfRows(const Profile &P) {
  return growthOf(P, typeRowsOf(P));
}

} // namespace inmem::report
