//===- Together.cpp - Savings of several findings together ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/Findings.h"

#include <algorithm>
#include <cmath>

namespace inmem::report {

/// The share of a finding's blocks that no earlier finding counts. Marks them.
static double partLeft(const Profile &P, const Finding &F,
                       std::vector<bool> &Counted) {
  if (F.Sites.empty())
    return 1;
  double All = 0, Left = 0;
  for (const size_t I : F.Sites) {
    const auto Blocks = static_cast<double>(P.Sites[I].Sum.Allocations);
    All += Blocks;
    Left += Counted[I] ? 0 : Blocks;
    Counted[I] = true;
  }
  return All > 0 ? Left / All : 0;
}

Savings savedTogether(const Profile &P, std::span<const Finding> Some) {
  std::vector<bool> Counted(P.Sites.size());
  double Blocks = 0, Bytes = 0, PeakBytes = 0;
  for (const Finding &F : Some) {
    const double Left = partLeft(P, F, Counted);
    Blocks += Left * static_cast<double>(F.SavesAllocations);
    Bytes += Left * static_cast<double>(F.SavesBytes);
    PeakBytes += Left * static_cast<double>(F.SavesPeakBytes);
  }
  const auto AtMost = [](double Sum, uint64_t Most) {
    return std::min<uint64_t>(static_cast<uint64_t>(std::llround(Sum)), Most);
  };
  return {AtMost(Blocks, P.Totals.Allocations),
          AtMost(Bytes, P.Totals.AllocatedBytes),
          AtMost(PeakBytes, P.PeakLiveBytes.value_or(0))};
}

} // namespace inmem::report
