//===- FreePairs.cpp - Frees by allocating and freeing function -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/View.h"

#include "report/model/LibraryCode.h"

namespace inmem::report {

namespace {

SourceLocation freeingLocation(const Profile &P, const View &V,
                               FrameRelevance &Frames, const FreeResult &R) {
  const auto LocationOf = [&](uint32_t F) {
    SourceLocation Where = P.Calls.Frames[F].Where;
    Where.Column = 0;
    return Where;
  };
  if (const auto F = Frames.innermost(R.Freeing))
    return LocationOf(*F);
  return R.Freeing.empty() || V.Blame.chosen() ? SourceLocation{}
                                               : LocationOf(R.Freeing.back());
}

SourceLocation allocatingLocation(const Profile &P, const View &V,
                                  FrameRelevance &Frames, const FreeResult &R) {
  const SourceLocation &Site = locationOf(P.Sites[R.Site]);
  if (!V.Blame.chosen())
    return Site;
  if (!R.Allocating.empty()) {
    const auto F = Frames.innermost(R.Allocating);
    return F ? P.Calls.Frames[*F].Where : SourceLocation{};
  }
  return Site;
}

} // namespace

std::vector<FreePair> freePairs(const Profile &P, const View &V) {
  std::vector<FreePair> Out;
  FrameRelevance Frames(P, V.Blame);
  for (const FreeResult &R : P.Frees)
    if (P.Types[R.Type].Sum.AllocatedBytes >= V.MinBytes)
      Out.push_back({&R, allocatingLocation(P, V, Frames, R),
                     freeingLocation(P, V, Frames, R)});
  return Out;
}

} // namespace inmem::report
