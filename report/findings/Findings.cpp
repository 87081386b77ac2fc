//===- Findings.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/Findings.h"

#include "report/findings/Rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace inmem::report {

std::string_view nameOf(Severity S) {
  return S == Severity::High     ? "high"
         : S == Severity::Medium ? "medium"
                                 : "low";
}

Severity Finding::severity() const {
  constexpr double kHigh = 0.2, kMedium = 0.05;
  return Stake >= kHigh     ? Severity::High
         : Stake >= kMedium ? Severity::Medium
                            : Severity::Low;
}

Finding FindingList::of(std::string_view Rule, const SiteResult &S) const {
  Finding F;
  F.Rule = Rule;
  F.Type = S.Type;
  F.Alias = S.Alias;
  F.Bytes = S.Sum.AllocatedBytes;
  F.Allocations = S.Sum.Allocations;
  return F;
}

Finding FindingList::of(std::string_view Rule, size_t Type) const {
  Finding F;
  F.Rule = Rule;
  F.Type = Type;
  F.Bytes = P.Types[Type].Sum.AllocatedBytes;
  F.Allocations = P.Types[Type].Sum.Allocations;
  return F;
}

const SiteResult *FindingList::siteOf(size_t Type) const {
  const std::vector<size_t> &Sites = P.Types[Type].Sites;
  return Sites.empty() ? nullptr : &P.Sites[Sites.front()];
}

bool FindingList::isForeign(const SiteResult &S) const {
  return S.Kind == "caller" && !P.Types[S.Type].Name && isCallerUnknown(S);
}

static double part(uint64_t Of, uint64_t Whole) {
  return Whole == 0 ? 0
                    : std::min(1.0, static_cast<double>(Of) /
                                        static_cast<double>(Whole));
}

double FindingList::stakeOf(uint64_t Bytes, uint64_t Blocks) const {
  return std::max(part(Bytes, P.Totals.AllocatedBytes),
                  part(Blocks, P.Totals.Allocations));
}

bool FindingList::isEnough(uint64_t Bytes, uint64_t Blocks) const {
  constexpr double kLeast = 0.01;
  constexpr uint64_t kBytes = 16 << 10, kBlocks = 100;
  return stakeOf(Bytes, Blocks) >= kLeast &&
         (Bytes >= kBytes || Blocks >= kBlocks);
}

void FindingList::add(Finding F, const SiteResult *At) {
  const bool Saves = F.SavesBytes + F.SavesAllocations > 0;
  const uint64_t Bytes = Saves ? F.SavesBytes : F.Bytes;
  const uint64_t Blocks = Saves ? F.SavesAllocations : F.Allocations;
  if (!isEnough(Bytes, Blocks))
    return;
  F.Stake = stakeOf(Bytes, Blocks);
  if (At) {
    F.Where = placeOf(*At);
    F.CallerUnknown = isCallerUnknown(*At);
  }
  All.push_back(std::move(F));
}

/// Rules that say different things of the same blocks, the most telling first.
static constexpr std::string_view kOfBlocks[] = {
    "vector-regrowth", "string-regrowth",     "rehash",
    "string-copies",   "string-above-inline", "temporary"};

/// Keeps one finding for the blocks of a place: the one with most at stake.
static void dropSameBlocks(std::vector<Finding> &All) {
  const auto Rank = [](const Finding &F) {
    return std::ranges::find(kOfBlocks, F.Rule) - std::begin(kOfBlocks);
  };
  const auto Better = [&](const Finding &A, const Finding &B) {
    return A.Stake != B.Stake ? A.Stake > B.Stake : Rank(A) < Rank(B);
  };
  std::map<std::tuple<std::string, std::string, size_t>, Finding *> Best;
  std::set<const Finding *> Dropped;
  for (Finding &F : All) {
    if (F.Rule == "" || !F.Type || F.Where.File.empty() ||
        Rank(F) == std::ssize(kOfBlocks))
      continue;
    const auto [At, New] = Best.try_emplace(
        {F.Where.Function, fmt::format("{}:{}", F.Where.File, F.Where.Line),
         *F.Type},
        &F);
    if (New || At->second->Rule == F.Rule)
      continue;
    Dropped.insert(Better(F, *At->second) ? At->second : &F);
    if (Better(F, *At->second))
      At->second = &F;
  }
  std::vector<Finding> Left;
  for (Finding &F : All)
    if (!Dropped.contains(&F))
      Left.push_back(std::move(F));
  All = std::move(Left);
}

std::vector<Finding> findingsOf(const Profile &P, size_t Most) {
  // What they are about must have been counted.
  constexpr uint16_t kNeeded =
      trace::kFlagNoTotals | trace::kFlagNoFrees | trace::kFlagNoBlocks;
  if (Most == 0 || (P.Totals.Unknown & kNeeded))
    return {};
  FindingList List(P);
  for (const auto Rule :
       {findRegrowth, findRehash, findTemporaries, findNodes, findSplitShared,
        findShortStrings, findExceptions, findStreams, findCopies, findPadding,
        findOverReserved, findUndestroyed, findUnboundedGrowth, findAlive,
        findForeignFrees, findSteadyPhases, findArenas, findStringCopies})
    Rule(List);
  std::vector<Finding> All = List.take();
  dropSameBlocks(All);
  std::stable_sort(
      All.begin(), All.end(),
      [](const Finding &A, const Finding &B) { return A.Stake > B.Stake; });
  if (All.size() > Most)
    All.resize(Most);
  return All;
}

} // namespace inmem::report
