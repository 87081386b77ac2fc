//===- Reuse.cpp - Blocks that one could be used for again ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of one line of which few are alive at a time. They are not temporary,
// because other blocks are allocated while they live.
//
//===----------------------------------------------------------------------===//
#include "report/base/Units.h"
#include "report/findings/Rules.h"
#include "report/model/ShownNames.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

/// An upper bound of a line's bytes alive at a time: its type's peak. None if
/// unknown.
std::optional<uint64_t> peakAtMost(const Profile &P, const SiteGroup &Line) {
  const TypeResult &T = P.Types[P.Sites[Line.Sites.front()].Type];
  return T.PeakLiveBytes ? T.PeakLiveBytes : T.PeakAtMost;
}

/// True if most blocks are freed before their thread allocates again: the rule
/// on temporaries covers them better.
bool areTemporary(const Profile &P, const SiteGroup &Line) {
  return P.TemporaryKnown && 2 * Line.Sum.Temporary >= Line.Sum.Allocations;
}

/// The line's sites, and the bytes and blocks beyond one peak.
Finding reusedBlocks(FindingList &Out, RuleId Rule, const SiteGroup &Line,
                     uint64_t Peak) {
  Finding F = Out.of(Rule, Line);
  const uint64_t Each =
      std::max<uint64_t>(Line.Sum.AllocatedBytes / Line.Sum.Allocations, 1);
  const uint64_t Kept =
      std::clamp<uint64_t>((Peak + Each - 1) / Each, 1, Line.Sum.Allocations);
  F.SavesAllocations = Line.Sum.Allocations - Kept;
  F.SavesBytes = Line.Sum.AllocatedBytes -
                 std::min(Line.Sum.AllocatedBytes, std::max(Peak, Each));
  return F;
}

} // namespace

void findLargeInLoop(FindingList &Out) {
  const Profile &P = Out.P;
  constexpr uint64_t kLarge = 64 << 10, kMany = 10;
  constexpr double kFewAlive = 0.25;
  std::vector<size_t> Large;
  for (size_t I = 0; I < P.Sites.size(); ++I) {
    const Counts &C = P.Sites[I].Sum;
    if (C.Allocations > 0 && C.AllocatedBytes / C.Allocations >= kLarge &&
        P.Sites[I].Kind != "exception" && !Out.isForeign(P.Sites[I]))
      Large.push_back(I);
  }
  for (const SiteGroup &Line : byLine(P, Large)) {
    const std::optional<uint64_t> Peak = peakAtMost(P, Line);
    // Blocks of a growing container have different sizes.
    if (Line.Sum.Allocations < kMany || !Peak || areTemporary(P, Line) ||
        static_cast<double>(*Peak) >
            kFewAlive * static_cast<double>(Line.Sum.AllocatedBytes))
      continue;
    Finding F = reusedBlocks(Out, RuleId::LargeInLoop, Line, *Peak);
    F.Message =
        fmt::format("{} of {} on average, at most {} of them alive at a time",
                    counted(F.Allocations, "block"),
                    humanBytes(F.Bytes / F.Allocations), humanBytes(*Peak));
    F.Advice = "make it once, outside of the loop or in the caller, and use it "
               "again";
    Out.add(std::move(F), Line);
  }
}

void findObjectChurn(FindingList &Out) {
  const Profile &P = Out.P;
  constexpr uint64_t kMany = 1000, kSmall = 1024;
  constexpr double kFewAlive = 0.05;
  std::vector<size_t> Made;
  for (size_t I = 0; I < P.Sites.size(); ++I) {
    const SiteResult &S = P.Sites[I];
    const TypeResult &T = P.Types[S.Type];
    const bool OfClass = T.Name && S.Alias.empty() && T.Alias.empty() &&
                         T.Size != 1; // characters: a buffer of some size
    // True for operator new, a class's operator, or a function that returns one
    // object.
    if ((S.Kind == "new" || S.Kind == "custom") && OfClass &&
        !S.Sizes.differ() && !Out.isForeign(S))
      Made.push_back(I);
  }
  for (const SiteGroup &Line : byLine(P, Made)) {
    const std::optional<uint64_t> Peak = peakAtMost(P, Line);
    const Counts &C = Line.Sum;
    if (C.Allocations < kMany || !Peak || areTemporary(P, Line) ||
        static_cast<double>(*Peak) >
            kFewAlive * static_cast<double>(C.AllocatedBytes))
      continue;
    Finding F = reusedBlocks(Out, RuleId::ObjectChurn, Line, *Peak);
    const uint64_t Alive = C.Allocations - F.SavesAllocations;
    F.Message =
        fmt::format("{} made and deleted one at a time, at most {} alive",
                    counted(C.Allocations, "object"), humanCount(Alive));
    F.Advice = Alive == 1 && C.AllocatedBytes / C.Allocations <= kSmall
                   ? "a local variable, or a std::optional member, needs no "
                     "block"
                   : "keep finished objects in a list, and use them again";
    Out.add(std::move(F), Line);
  }
}

} // namespace inmem::report
