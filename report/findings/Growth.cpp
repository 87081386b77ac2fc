//===- Growth.cpp - Containers that grow step by step ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/Rules.h"
#include "report/names/TypeName.h"
#include "report/text/Units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace inmem::report {

namespace {

/// Functions of libstdc++ and libc++ that give a container a larger buffer.
constexpr std::string_view kRegrowing[] = {"_M_realloc_insert",
                                           "_M_realloc_append",
                                           "_M_default_append",
                                           "_M_fill_insert",
                                           "_M_range_insert",
                                           "_M_mutate",
                                           "__push_back_slow_path",
                                           "__emplace_back_slow_path",
                                           "__grow_by",
                                           "__grow_by_and_replace",
                                           "__append"};

bool regrows(const Place &P) {
  const std::string Name = bareFunction(P.Function);
  std::string_view Last = Name;
  if (const size_t Angle = Last.rfind('<');
      Angle != std::string_view::npos && Last.ends_with('>'))
    Last = Last.substr(0, Last.find('<', Last.rfind("::_") + 1));
  if (const size_t Colons = Last.rfind("::"); Colons != std::string_view::npos)
    Last.remove_prefix(Colons + 2);
  return std::ranges::find(kRegrowing, Last) != std::end(kRegrowing);
}

/// How often each container grew if all grew alike: the steps K at which the
/// mean of the first K sizes is what was measured. Sizes(I) is the size of a
/// container's buffer after I growths; it must rise.
template <class SizeOf>
double stepsFor(double MeanBytes, unsigned Most, SizeOf Size) {
  double Sum = 0, Before = 0;
  for (unsigned Step = 1; Step <= Most; ++Step) {
    const double K = Step;
    Sum += Size(K - 1);
    const double Mean = Sum / K;
    if (Mean >= MeanBytes)
      return Step == 1 || Mean == Before
                 ? 1
                 : K - 1 + (MeanBytes - Before) / (Mean - Before);
    Before = Mean;
  }
  return Most;
}

/// Sets what a finding is about, and what it saves if containers that grew \p
/// Steps times had been given their last size at once. \returns how many there
/// were.
double saveGrowth(Finding &F, const Counts &C, double Steps, double Last) {
  const auto Blocks = static_cast<double>(C.Allocations);
  const auto Bytes = static_cast<double>(C.AllocatedBytes);
  const double Containers = std::max(1.0, Blocks / Steps);
  F.Bytes = C.AllocatedBytes;
  F.Allocations = C.Allocations;
  F.SavesAllocations = static_cast<uint64_t>(Blocks - Containers);
  F.SavesBytes =
      static_cast<uint64_t>(std::max(0.0, Bytes - Containers * Last));
  return Containers;
}

double meanOf(const Counts &C) {
  return static_cast<double>(C.AllocatedBytes) /
         static_cast<double>(C.Allocations);
}

constexpr double kFewSteps = 2.5; // Two growths are no pattern.

/// What one place allocated by growing, or all callers of one function of the
/// library.
struct Grown {
  std::string_view Alias;
  size_t Type;
  Counts Sum;
};

/// Adds what a regrowth saves, if it looks like one.
bool measureRegrowth(const Profile &P, const Grown &G, Finding &F) {
  const bool Text = G.Alias.starts_with("std::string") ||
                    G.Alias.starts_with("std::basic_string");
  // A string's own 15 characters come first: its smallest block is of 31.
  const double First =
      Text ? 31 : static_cast<double>(P.Types[G.Type].Size.value_or(8));
  const auto Size = [First](double I) { return First * std::exp2(I); };
  const double Steps = stepsFor(meanOf(G.Sum), 48, Size);
  if (Steps < kFewSteps)
    return false;
  const double Largest = std::min(Size(Steps - 1), meanOf(G.Sum) * Steps);
  F.Rule = Text ? "string-regrowth" : "vector-regrowth";
  const double Containers = saveGrowth(F, G.Sum, Steps, Largest);
  F.Message =
      fmt::format("grows step by step: {} for about {}, {} moved",
                  counted(G.Sum.Allocations, "block"),
                  counted(static_cast<uint64_t>(std::llround(Containers)),
                          Text ? "string" : "vector"),
                  humanBytes(F.SavesBytes));
  F.Advice = fmt::format("reserve({}) before it is filled",
                         humanCount(static_cast<uint64_t>(std::llround(
                             Text ? Largest - 1 : Largest / First))));
  return true;
}

} // namespace

void findRegrowth(FindingList &Out) {
  const Profile &P = Out.P;
  for (const SiteResult &S : P.Sites) {
    if (!Out.isEnough(S.Sum.AllocatedBytes, S.Sum.Allocations) ||
        !(regrows(S.Where) || std::ranges::any_of(S.Chain, regrows)))
      continue;
    Finding F = Out.of("", S);
    const bool Shared = S.Chain.empty()
                            ? regrows(S.Where)
                            : std::ranges::all_of(S.Chain, [](const Place &At) {
                                return !isUserPath(At.File);
                              });
    if (!Shared) {
      if (measureRegrowth(P, {S.Alias, S.Type, S.Sum}, F))
        Out.add(std::move(F), &S);
      continue;
    }
    // One function for all who grow such a container: each caller by itself.
    std::map<std::tuple<std::string, std::string, uint32_t>, Grown> Callers;
    for (const StackResult &R : P.Calls.Stacks) {
      if (R.Type != S.Type || !passes(P, R, S.Where))
        continue;
      const Place *User = userFrame(P, R);
      const Place Where = User ? *User : Place{};
      Grown &G = Callers
                     .try_emplace({Where.Function, Where.File, Where.Line},
                                  Grown{S.Alias, S.Type, {}})
                     .first->second;
      G.Sum.add(R.Sum);
    }
    for (const auto &[Where, G] : Callers) {
      Finding One = F;
      std::tie(One.Where.Function, One.Where.File, One.Where.Line) = Where;
      if (!One.Where.Function.empty() && measureRegrowth(P, G, One))
        Out.add(std::move(One), nullptr);
    }
    // Strings of the whole program share one function: no mean says much.
    if (Callers.empty() && !S.Alias.starts_with("std::string") &&
        measureRegrowth(P, {S.Alias, S.Type, S.Sum}, F))
      Out.add(std::move(F), &S);
  }
}

void findRehash(FindingList &Out) {
  // Bucket counts of libstdc++'s std::unordered_map as it grows from empty.
  static constexpr std::array<double, 24> kBuckets = {
      13,      29,       59,       127,      257,       541,
      1109,    2357,     5087,     10273,    20753,     42043,
      85229,   172933,   351061,   712697,   1447153,   2938679,
      5967347, 12117689, 24607243, 49969847, 101473717, 206062531};
  for (const SiteResult &S : Out.P.Sites) {
    const std::string &Alias =
        S.Alias.empty() ? Out.P.Types[S.Type].Alias : S.Alias;
    if (Alias != "unordered container buckets" || S.Sum.Allocations == 0)
      continue;
    constexpr double kPointer = sizeof(void *);
    const auto Size = [](double I) {
      return kPointer * kBuckets[static_cast<size_t>(I)];
    };
    // All of one size: they were reserved.
    if (std::ranges::find(kBuckets, meanOf(S.Sum) / kPointer) != kBuckets.end())
      continue;
    const double Steps = stepsFor(meanOf(S.Sum), kBuckets.size(), Size);
    if (Steps < kFewSteps)
      continue;
    const double Largest = Size(std::floor(Steps - 1));
    Finding F = Out.of("rehash", S);
    saveGrowth(F, S.Sum, Steps, Largest);
    F.Message = fmt::format("rehashed {} as it grows",
                            counted(F.SavesAllocations, "time"));
    F.Advice =
        fmt::format("reserve({}) before it is filled",
                    humanCount(static_cast<uint64_t>(Largest / kPointer)));
    Out.add(std::move(F), &S);
  }
}

} // namespace inmem::report
