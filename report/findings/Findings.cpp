//===- Findings.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/Findings.h"

#include "report/findings/RuleFacts.h"
#include "report/findings/Rules.h"
#include "report/model/ShownNames.h"

#include <algorithm>
#include <cmath>
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

std::string_view nameOf(Measure M) {
  return M == Measure::Traffic ? "traffic" : "footprint";
}

constexpr double kHigh = 0.2;

Severity Finding::severity() const {
  constexpr double kMedium = 0.05;
  return Stake >= kHigh     ? Severity::High
         : Stake >= kMedium ? Severity::Medium
                            : Severity::Low;
}

Finding FindingList::of(RuleId Rule, const SiteResult &S) const {
  Finding F;
  F.Rule = Rule;
  F.Type = S.Type;
  F.Sites = {static_cast<size_t>(&S - P.Sites.data())};
  F.Alias = S.Alias;
  F.Bytes = S.Sum.AllocatedBytes;
  F.Allocations = S.Sum.Allocations;
  return F;
}

Finding FindingList::of(RuleId Rule, const SiteGroup &G) const {
  Finding F = of(Rule, P.Sites[G.Sites.front()]);
  F.Sites = G.Sites;
  F.Bytes = G.Sum.AllocatedBytes;
  F.Allocations = G.Sum.Allocations;
  return F;
}

std::vector<SiteGroup> byLine(const Profile &P,
                              const std::vector<size_t> &Sites) {
  std::vector<SiteGroup> Out;
  std::map<std::tuple<size_t, std::string, std::string, std::string, uint32_t>,
           size_t>
      Known;
  for (const size_t I : Sites) {
    const SiteResult &S = P.Sites[I];
    const SourceLocation &At = locationOf(S);
    size_t Line = Out.size();
    if (At.Line != 0)
      Line = Known
                 .try_emplace({S.Type, S.Alias, At.Function, At.File, At.Line},
                              Line)
                 .first->second;
    if (Line == Out.size())
      Out.emplace_back();
    Out[Line].add(P, I);
  }
  return Out;
}

Finding FindingList::of(RuleId Rule, size_t Type) const {
  Finding F;
  F.Rule = Rule;
  F.Type = Type;
  F.Sites = P.Types[Type].Sites;
  F.Bytes = P.Types[Type].Sum.AllocatedBytes;
  F.Allocations = P.Types[Type].Sum.Allocations;
  return F;
}

const SiteResult *FindingList::siteOf(size_t Type) const {
  const std::vector<size_t> &Sites = P.Types[Type].Sites;
  return Sites.empty() ? nullptr : &P.Sites[Sites.front()];
}

bool FindingList::isForeign(const SiteResult &S) const {
  return (S.Kind == "caller" && !P.Types[S.Type].Name && isCallerUnknown(S)) ||
         isRuntimesOwn(P, S);
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

double FindingList::footprintOf(uint64_t Bytes) const {
  // A sampled run, or a part of a run, has no peak.
  const uint64_t Of = P.PeakLiveBytes.value_or(
      P.Totals.LiveBytes > 0 ? P.Totals.LiveBytes : P.Totals.AllocatedBytes);
  return part(Bytes, Of);
}

/// True if an amount justifies a line.
static bool areEnough(double Part, uint64_t Bytes, uint64_t Blocks) {
  constexpr double kLeast = 0.01;
  constexpr uint64_t kBytes = 16 << 10, kBlocks = 100;
  return Part >= kLeast && (Bytes >= kBytes || Blocks >= kBlocks);
}

bool FindingList::isEnough(uint64_t Bytes, uint64_t Blocks) const {
  return areEnough(stakeOf(Bytes, Blocks), Bytes, Blocks);
}

bool FindingList::isEnoughAlive(uint64_t Bytes, uint64_t Blocks) const {
  return areEnough(footprintOf(Bytes), Bytes, Blocks);
}

void FindingList::score(Finding &F) const {
  // Counts decide, not bytes multiplied by their lifetime. Those depend on the
  // clock, so two runs of one program would differ.
  const bool Saves = F.SavesBytes + F.SavesAllocations > 0;
  const bool OfLive = F.By == Measure::Footprint;
  const Finding::Blocks Of =
      F.Judged ? *F.Judged
      : Saves  ? Finding::Blocks{F.SavesBytes, F.SavesAllocations}
      : OfLive ? Finding::Blocks{}
               : Finding::Blocks{F.Bytes, F.Allocations};
  if (isEnough(Of.Bytes, Of.Allocations))
    F.Traffic = stakeOf(Of.Bytes, Of.Allocations);
  if (const uint64_t Alive = OfLive ? F.Bytes : F.SavesPeakBytes;
      isEnoughAlive(Alive, OfLive ? F.Allocations : 0) || (OfLive && F.Always))
    F.Footprint = footprintOf(Alive);
  if (F.Footprint > F.Traffic)
    F.By = Measure::Footprint;
  F.Stake = F.By == Measure::Traffic ? F.Traffic : F.Footprint;
  // Growth only measures the length of the run so far.
  if (F.Always)
    F.Stake = std::max(F.Stake, kHigh);
}

void FindingList::add(Finding F, const SiteResult *At) {
  score(F);
  if (F.Stake == 0 && !F.Always)
    return;
  if (At) {
    F.Where = locationOf(*At);
    F.CallerUnknown = isCallerUnknown(*At);
    const bool Live = infoOf(F.Rule).Of == About::Live;
    if (Live || !F.OfObjects)
      F.Message += callersText(
          P, F.Sites, Live ? &Counts::LiveAllocations : &Counts::Allocations);
  }
  All.push_back(std::move(F));
}

/// Keeps one of the findings that different rules about the same subject have
/// for the blocks of a site: the one with most at stake, or the first rule's.
static void dropSameBlocks(std::vector<Finding> &All, About Of, bool ByStake) {
  std::vector<size_t> Order;
  for (size_t I = 0; I < All.size(); ++I)
    if (infoOf(All[I].Rule).Of == Of)
      Order.push_back(I);
  // Advice that fits any blocks gives way to more specific advice. The savings
  // of Temporary are halved, because other rules know more about the blocks.
  const auto Weight = [](const Finding &F) {
    return F.Rule == RuleId::Temporary ? F.Stake / 2 : F.Stake;
  };
  std::ranges::stable_sort(Order, [&](size_t A, size_t B) {
    return ByStake && Weight(All[A]) != Weight(All[B])
               ? Weight(All[A]) > Weight(All[B])
               : All[A].Rule < All[B].Rule;
  });
  std::map<size_t, RuleId> Taken; // by site: by which rule
  std::set<size_t> Dropped;
  for (const size_t I : Order) {
    const Finding &F = All[I];
    if (std::ranges::any_of(F.Sites, [&](size_t Site) {
          const auto At = Taken.find(Site);
          return At != Taken.end() && At->second != F.Rule;
        })) {
      Dropped.insert(I);
      continue;
    }
    for (const size_t Site : F.Sites)
      Taken.emplace(Site, F.Rule);
  }
  std::vector<Finding> Left;
  for (size_t I = 0; I < All.size(); ++I)
    if (!Dropped.contains(I))
      Left.push_back(std::move(All[I]));
  All = std::move(Left);
}

/// Drops a function's advice on short strings if other advice on as many of its
/// strings has more at stake: these strings are short at first, and grow.
static void dropShortOfGrown(std::vector<Finding> &All) {
  constexpr RuleId kShort = RuleId::StringAboveInline;
  const auto OfSame = [](const Finding &A, const Finding &B) {
    return A.Alias == B.Alias && A.Where.Function == B.Where.Function &&
           A.Where.File == B.Where.File;
  };
  const auto AsMany = [](const Finding &A, const Finding &B) {
    constexpr double kOff = 0.1;
    const auto Of = static_cast<double>(A.Allocations);
    return std::abs(static_cast<double>(B.Allocations) - Of) <= kOff * Of;
  };
  std::vector<Finding> Others;
  std::ranges::copy_if(All, std::back_inserter(Others), [](const Finding &F) {
    return F.Rule == RuleId::Temporary || F.Rule == RuleId::StringRegrowth;
  });
  std::erase_if(All, [&](const Finding &F) {
    return F.Rule == kShort &&
           std::ranges::any_of(Others, [&](const Finding &Other) {
             return OfSame(F, Other) && AsMany(F, Other) &&
                    Other.Stake >= F.Stake;
           });
  });
}

/// Drops the finding that a block is most of the peak if another one explains
/// why.
static void dropExplainedPeaks(std::vector<Finding> &All) {
  constexpr RuleId kExplain[] = {RuleId::VectorRegrowth, RuleId::StringRegrowth,
                                 RuleId::Rehash, RuleId::OverReserved,
                                 RuleId::LargeInLoop};
  std::set<size_t> Explained;
  for (const Finding &F : All)
    if (std::ranges::find(kExplain, F.Rule) != std::end(kExplain))
      Explained.insert(F.Sites.begin(), F.Sites.end());
  std::erase_if(All, [&](const Finding &F) {
    return F.Rule == RuleId::PeakBlock &&
           std::ranges::any_of(
               F.Sites, [&](size_t Site) { return Explained.contains(Site); });
  });
}

std::vector<Finding> findingsOf(const Profile &P, size_t Most) {
  // Findings are about figures that were counted.
  constexpr uint16_t kNeeded =
      trace::kFlagNoTotals | trace::kFlagNoFrees | trace::kFlagNoBlocks;
  if (Most == 0 || (P.Totals.Unknown & kNeeded))
    return {};
  FindingList List(P);
  for (const auto Rule :
       {findRegrowth,        findRehash,       findTemporaries,
        findNodes,           findSplitShared,  findShortStrings,
        findExceptions,      findStreams,      findCopies,
        findPadding,         findOverReserved, findUndestroyed,
        findUnboundedGrowth, findLiveGrowth,   findAlive,
        findPeakBlocks,      findLargeInLoop,  findObjectChurn,
        findForeignFrees,    findSteadyPhases, findArenas,
        findStringCopies,    findShortDeques,  findUnneededFields,
        findColdInArrays})
    Rule(List);
  std::vector<Finding> All = List.take();
  dropSameBlocks(All, About::Allocated, true);
  dropSameBlocks(All, About::Live, false);
  dropExplainedPeaks(All);
  dropShortOfGrown(All);
  std::stable_sort(
      All.begin(), All.end(),
      [](const Finding &A, const Finding &B) { return A.Stake > B.Stake; });
  if (All.size() > Most)
    All.resize(Most);
  return All;
}

std::string aboutOf(const Profile &P, const Finding &F) {
  if (!F.Type)
    return "memory";
  if (F.OfObjects)
    return shownClass(P.Types[*F.Type]);
  return F.Alias.empty() ? shownType(P.Types[*F.Type]) : F.Alias;
}

} // namespace inmem::report
