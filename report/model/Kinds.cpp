//===- Kinds.cpp - Names for the blocks of a type -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/TypeFacts.h"

#include "report/model/RowSums.h"
#include "report/model/ShownNames.h"

#include <algorithm>

namespace inmem::report {

static LifetimeSum sumOf(const Lifetime &L) {
  LifetimeSum Out;
  Out.Lifetimes = L.Lifetimes;
  Out.Timed = L.Timed;
  Out.Min = L.Min;
  Out.Max = L.Max;
  if (L.Mean) {
    Out.Weight = static_cast<double>(L.Count);
    Out.Sum = static_cast<double>(*L.Mean) * Out.Weight;
  }
  return Out;
}

std::vector<KindResult> kindsOf(const Profile &P, const TypeResult &T) {
  std::vector<KindResult> Out;
  std::vector<LifetimeSum> Lifetimes;
  Counts All;
  for (const size_t I : T.Sites) {
    const SiteResult &Site = P.Sites[I];
    if (Site.Sum.Allocations == 0 && Site.Sum.CarriedAllocations == 0)
      continue;
    const std::string Name =
        T.Name && Site.Alias.empty() ? shownOwn(T) : shownBlocks(P, Site);
    auto Kind = std::ranges::find(Out, Name, &KindResult::Name);
    if (Kind == Out.end()) {
      Kind = Out.insert(Out.end(), {Name, {}, {}, {}, {}, {}});
      Lifetimes.emplace_back();
    }
    Kind->Sum.add(Site.Sum);
    Kind->Sites.push_back(I);
    if (Site.Peak) {
      if (!Kind->Peak)
        Kind->Peak.emplace();
      Kind->Peak->add(*Site.Peak);
    }
    if (Kind->LiveBytesAt.size() < Site.LiveBytesAt.size())
      Kind->LiveBytesAt.resize(Site.LiveBytesAt.size());
    for (size_t At = 0; At < Site.LiveBytesAt.size(); ++At)
      Kind->LiveBytesAt[At] += Site.LiveBytesAt[At];
    All.add(Site.Sum);
    Lifetimes[static_cast<size_t>(Kind - Out.begin())].add(sumOf(Site.Life));
  }
  // The site of some blocks may be unknown.
  if (Out.size() < 2 || All.Allocations != T.Sum.Allocations ||
      All.LiveBytes != T.Sum.LiveBytes || All.Unknown != T.Sum.Unknown)
    return {};
  for (size_t I = 0; I < Out.size(); ++I) {
    Out[I].Life = Lifetimes[I].finish(Out[I].Sum);
    if (auto &Peak = Out[I].Peak; Peak && T.Peak) { // at most the type's total
      Peak->BytesAtMost = std::max(
          std::min(Peak->BytesAtMost, T.Peak->BytesAtMost), Peak->BytesAtLeast);
      Peak->BlocksAtMost =
          std::max(std::min(Peak->BlocksAtMost, T.Peak->BlocksAtMost),
                   Peak->BlocksAtLeast);
    }
  }
  std::ranges::stable_sort(Out, [](const KindResult &A, const KindResult &B) {
    return A.Sum.AllocatedBytes > B.Sum.AllocatedBytes;
  });
  return Out;
}

} // namespace inmem::report
