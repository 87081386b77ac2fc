//===- FreePairs.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/FreePairs.h"

#include "report/model/UserPlaces.h"

namespace inmem::report {

namespace {

Place freeingPlace(const Profile &P, const View &V, const FreeResult &R) {
  const auto PlaceOf = [&](uint32_t F) {
    Place Where = P.Calls.Frames[F].Where;
    Where.Column = 0;
    return Where;
  };
  if (const auto F = innermostThatMatters(P, R.Freeing, V.Blame))
    return PlaceOf(*F);
  return R.Freeing.empty() || V.Blame.chosen() ? Place{}
                                               : PlaceOf(R.Freeing.back());
}

Place allocatingPlace(const Profile &P, const View &V, const FreeResult &R) {
  const Place &Site = placeOf(P.Sites[R.Site]);
  if (!V.Blame.chosen())
    return Site;
  if (!R.Allocating.empty()) {
    const auto F = innermostThatMatters(P, R.Allocating, V.Blame);
    return F ? P.Calls.Frames[*F].Where : Place{};
  }
  return Site;
}

} // namespace

std::vector<FreePair> freePairs(const Profile &P, const View &V) {
  std::vector<FreePair> Out;
  for (const FreeResult &R : P.Frees)
    if (P.Types[R.Type].Sum.AllocatedBytes >= V.MinBytes)
      Out.push_back({&R, allocatingPlace(P, V, R), freeingPlace(P, V, R)});
  return Out;
}

} // namespace inmem::report
