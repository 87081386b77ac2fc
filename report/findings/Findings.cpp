//===- Findings.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/Findings.h"

#include "report/findings/Rules.h"
#include "report/names/TypeName.h"

#include <algorithm>

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

bool isUserCode(const Place &P) {
  return !P.File.empty() && !isSystemPath(P.File);
}

bool passes(const Profile &P, const StackResult &R, const Place &Site) {
  return std::ranges::any_of(R.Frames, [&](uint32_t F) {
    return P.Calls.Frames[F].Where.Function == Site.Function;
  });
}

const Place *userFrame(const Profile &P, const StackResult &R) {
  for (auto F = R.Frames.rbegin(); F != R.Frames.rend(); ++F)
    if (isUserCode(P.Calls.Frames[*F].Where))
      return &P.Calls.Frames[*F].Where;
  return nullptr;
}

std::pair<Place, bool> userPlace(const Profile &P, const SiteResult &S) {
  if (isUserCode(S.Where))
    return {S.Where, true};
  for (const Place &Step : S.Chain)
    if (isUserCode(Step))
      return {Step, true};
  const StackResult *Most = nullptr;
  for (const StackResult &R : P.Calls.Stacks)
    if (R.Type == S.Type && passes(P, R, S.Where) &&
        (!Most || R.Sum.AllocatedBytes > Most->Sum.AllocatedBytes))
      Most = &R;
  if (const Place *User = Most ? userFrame(P, *Most) : nullptr)
    return {*User, true};
  return {S.Where, false};
}

Finding FindingList::of(std::string_view Rule, const SiteResult &S) const {
  Finding F;
  F.Rule = Rule;
  F.Type = S.Type;
  const auto [Where, Known] = userPlace(P, S);
  F.Where = Where;
  F.CallerUnknown = !Known;
  F.Bytes = S.Sum.AllocatedBytes;
  F.Allocations = S.Sum.Allocations;
  return F;
}

static double part(uint64_t Of, uint64_t Whole) {
  return Whole == 0 ? 0
                    : std::min(1.0, static_cast<double>(Of) /
                                        static_cast<double>(Whole));
}

void FindingList::add(Finding F) {
  constexpr double kLeast = 0.01;
  constexpr uint64_t kBytes = 16 << 10, kBlocks = 100;
  const bool Saves = F.SavesBytes + F.SavesAllocations > 0;
  const uint64_t Bytes = Saves ? F.SavesBytes : F.Bytes;
  const uint64_t Blocks = Saves ? F.SavesAllocations : F.Allocations;
  F.Stake = std::max(part(Bytes, P.Totals.AllocatedBytes),
                     part(Blocks, P.Totals.Allocations));
  if (F.Stake < kLeast || (Bytes < kBytes && Blocks < kBlocks))
    return;
  All.push_back(std::move(F));
}

std::vector<Finding> findingsOf(const Profile &P, size_t Most) {
  FindingList List(P);
  for (const auto Rule :
       {findRegrowth, findRehash, findTemporaries, findNodes, findSplitShared,
        findShortStrings, findExceptions, findCopies, findPadding,
        findUndestroyed, findUnboundedGrowth, findAlive, findForeignFrees,
        findSteadyPhases})
    Rule(List);
  std::vector<Finding> All = List.take();
  std::stable_sort(
      All.begin(), All.end(),
      [](const Finding &A, const Finding &B) { return A.Stake > B.Stake; });
  if (All.size() > Most)
    All.resize(Most);
  return All;
}

} // namespace inmem::report
