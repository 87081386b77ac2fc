//===- Footprint.cpp - Blocks that are much of the peak -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/Rules.h"

#include <fmt/format.h>

namespace inmem::report {

void findPeakBlocks(FindingList &Out) {
  const Profile &P = Out.P;
  constexpr uint64_t kLeast = 1 << 20, kFew = 4;
  constexpr double kMost = 0.5;
  if (!P.PeakLiveBytes)
    return;
  std::vector<size_t> AtPeak;
  for (size_t I = 0; I < P.Sites.size(); ++I)
    if (P.Sites[I].Peak && P.Sites[I].Peak->BytesAtLeast > 0 &&
        !Out.isForeign(P.Sites[I]))
      AtPeak.push_back(I);
  for (const SiteGroup &Line : byLine(P, AtPeak)) {
    uint64_t Bytes = 0, Blocks = 0;
    for (const size_t I : Line.Sites) {
      Bytes += P.Sites[I].Peak->BytesAtLeast;
      Blocks += P.Sites[I].Peak->BlocksAtMost;
    }
    // Many small blocks are a data structure, which other rules cover better.
    if (Bytes < kLeast || Blocks == 0 || Blocks > kFew ||
        static_cast<double>(Bytes) <
            kMost * static_cast<double>(*P.PeakLiveBytes))
      continue;
    Finding F = Out.of(RuleId::PeakBlock, Line);
    F.By = Measure::Footprint;
    F.Bytes = Bytes;
    F.Allocations = Blocks;
    F.Message =
        fmt::format("{} of {} {} most of the peak of {}",
                    counted(Blocks, "block"), humanBytes(Bytes),
                    Blocks == 1 ? "is" : "are", humanBytes(*P.PeakLiveBytes));
    F.Advice = "ask for what is used: let it grow, or keep it sparse, in parts "
               "or on disk";
    Out.add(std::move(F), Line);
  }
}

} // namespace inmem::report
