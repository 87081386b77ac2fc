//===- GrowthRules.cpp - Containers that grow step by step ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/FinalSizes.h"
#include "report/findings/Rules.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace inmem::report {

namespace {

/// Functions of libstdc++ and libc++ that enlarge a buffer by one element.
constexpr std::string_view kByOne[] = {"_M_realloc_insert", "_M_realloc_append",
                                       "__push_back_slow_path",
                                       "__emplace_back_slow_path"};

/// Functions that enlarge it by any number of elements, such as its final
/// number.
constexpr std::string_view kByAny[] = {
    "_M_default_append", "_M_fill_insert", "_M_range_insert",
    "_M_mutate",         "__grow_by",      "__grow_by_and_replace",
    "__append"};

/// A function's name without classes and arguments.
std::string lastName(const SourceLocation &P) {
  const std::string Name = bareFunction(P.Function);
  std::string_view Last = Name;
  if (const size_t Angle = Last.rfind('<');
      Angle != std::string_view::npos && Last.ends_with('>'))
    Last = Last.substr(0, Last.find('<', Last.rfind("::_") + 1));
  if (const size_t Colons = Last.rfind("::"); Colons != std::string_view::npos)
    Last.remove_prefix(Colons + 2);
  return std::string(Last);
}

bool regrows(const SourceLocation &P) {
  const std::string Last = lastName(P);
  return std::ranges::find(kByOne, Last) != std::end(kByOne) ||
         std::ranges::find(kByAny, Last) != std::end(kByAny);
}

/// True if the allocating code enlarges its buffer by one element. \param
/// Frames innermost first
bool growsByOne(const std::vector<const SourceLocation *> &Frames) {
  for (size_t I = 0; I < Frames.size(); ++I) {
    const std::string Last = lastName(*Frames[I]);
    if (std::ranges::find(kByOne, Last) != std::end(kByOne))
      return true;
    if (std::ranges::find(kByAny, Last) != std::end(kByAny))
      return I + 1 < Frames.size() && lastName(*Frames[I + 1]) == "push_back";
  }
  return false;
}

bool growsByOne(const SiteResult &S) {
  std::vector<const SourceLocation *> Frames;
  Frames.reserve(S.Chain.size());
  for (const SourceLocation &P : S.Chain)
    Frames.push_back(&P);
  if (Frames.empty())
    Frames.push_back(&S.Where);
  for (const SourceLocation &P : S.Callers)
    Frames.push_back(&P);
  return growsByOne(Frames);
}

/// Decides by all stacks of a site or, without stacks, by its inlined chain.
bool growsByOne(const Profile &P, size_t Site) {
  bool Any = false, All = true;
  for (const StackResult &R : P.Calls.Stacks) {
    if (R.Site != Site)
      continue;
    std::vector<const SourceLocation *> Frames;
    for (auto F = R.Frames.rbegin(); F != R.Frames.rend(); ++F)
      Frames.push_back(&P.Calls.Frames[*F].Where);
    Any = true;
    All &= growsByOne(Frames);
  }
  return Any ? All : growsByOne(P.Sites[Site]);
}

/// The number of growths per container if all grew alike: the K at which the
/// mean of the first K sizes is the measured mean. Sizes(I) is the size of a
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

/// SizeGroups::spread() of containers that grew \p Steps times.
template <class SizeOf> double spreadOf(double Steps, SizeOf Size) {
  SizeGroups All;
  const auto Count = static_cast<size_t>(std::max(2.0, std::round(Steps)));
  for (size_t I = 0; I < Count; ++I)
    All.add(1, Size(static_cast<double>(I)));
  return All.spread().value_or(0);
}

/// True if the spread of sizes is that of growth steps. Lifetimes do not
/// separate all sizes.
template <class SizeOf>
bool likeSteps(std::optional<double> Spread, double Steps, SizeOf Size) {
  constexpr double kSeen = 0.3;
  constexpr double kEven = 0.35; // Uniform sizes up to the largest have 1/3.
  return Spread && *Spread >= std::max(kEven, kSeen * spreadOf(Steps, Size));
}

/// Sets the subject of a finding, and its savings if containers that grew \p
/// Steps times had begun with their last size. \returns the number of
/// containers
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

constexpr double kFewSteps = 2.5; // Two growths are not a pattern.
constexpr double kDoubled = 1.9;  // A string's: from 31 bytes to 61.

bool isString(std::string_view Alias) {
  return isInStd(Alias, "string") || isInStd(Alias, "basic_string");
}

/// The mean size of the smallest blocks; none if sizes are unknown.
std::optional<double> smallestSize(const SizeGroups &Sizes) {
  if (Sizes.Classes.empty())
    return std::nullopt;
  return Sizes.Classes.front().Bytes / Sizes.Classes.front().Blocks;
}

/// The size of the first block of a growing container: an element's or, if the
/// type has no size, the smallest block's.
double firstSize(const Profile &P, size_t Type, std::string_view Alias,
                 const SizeGroups &Sizes) {
  constexpr double kText = 30, kUnknown = 8;
  if (isString(Alias))
    return kText;
  if (const auto &Size = P.Types[Type].Size)
    return static_cast<double>(*Size);
  return smallestSize(Sizes).value_or(kUnknown);
}

/// Allocations for growth at one site, or by all callers of one library
/// function.
struct Grown {
  std::string_view Alias;
  size_t Type;
  bool ByOne; ///< whether each block grew by one
  Counts Sum;
  SizeGroups Sizes;
  const SiteResult *First = nullptr; ///< the site with the most bytes
  std::vector<size_t> Sites = {};
};

/// The number of blocks that must have belonged to different containers: a
/// growing container allocates again before it frees, and keeps one block.
double containersAtLeast(const Profile &P, const Counts &C) {
  return static_cast<double>(
      std::max(P.TemporaryKnown ? C.Temporary : 0, C.LiveAllocations));
}

/// The largest number of blocks within one doubling of each other. A buffer at
/// least doubles when it grows, so each of these belonged to another container.
double withinOneDoubling(const SizeGroups &Sizes) {
  const auto Mean = [](const SizeGroups::Class &C) {
    return C.Bytes / C.Blocks;
  };
  double Most = 0, Blocks = 0;
  auto First = Sizes.Classes.begin();
  for (const SizeGroups::Class &Last : Sizes.Classes) {
    Blocks += Last.Blocks;
    for (; Mean(Last) >= kDoubled * Mean(*First); ++First)
      Blocks -= First->Blocks;
    Most = std::max(Most, Blocks);
  }
  return Most;
}

/// Bytes of a vector's or a string's buffer after N growths. A string starts
/// with 15 characters of internal storage, and each size includes its final
/// NUL.
double grownSize(bool Text, double First, double Growths) {
  return First * std::exp2(Growths) + (Text ? 1 : 0);
}

/// The last size of containers that each grew \p Steps times, if all grew
/// alike. If their sizes fit \p Doublings better, there are fewer blocks than
/// that takes, because the first had room for more than one element. Then only
/// the doubling of sizes and their sum are known.
double lastSize(bool Text, double First, double Doublings, double Steps,
                double Mean) {
  const double All = Mean * Steps;
  const double Last = Steps < Doublings ? All / (2 - std::exp2(1 - Steps))
                                        : grownSize(Text, First, Steps - 1);
  return std::min(Last, All);
}

/// Containers that each grew to one size, if blocks and bytes are exactly
/// theirs. (Different sizes rarely yield the same two figures: the sum of their
/// sizes is larger than that of as many equal ones.)
std::optional<FinalSizes> equalEnds(const Profile &P, const Grown &G, bool Text,
                                    double First) {
  constexpr uint64_t kMost = 48;
  double Sum = 0;
  for (uint64_t Steps = 1; Steps <= kMost && Steps <= G.Sum.Allocations;
       ++Steps) {
    const double Last = grownSize(Text, First, static_cast<double>(Steps - 1));
    Sum += Last;
    const uint64_t Containers = G.Sum.Allocations / Steps;
    if (G.Sum.Allocations % Steps == 0 &&
        Sum * static_cast<double>(Containers) ==
            static_cast<double>(G.Sum.AllocatedBytes) &&
        static_cast<double>(Containers) >= containersAtLeast(P, G.Sum))
      return FinalSizes(static_cast<double>(Containers), Last);
  }
  return std::nullopt;
}

/// True if lifetimes separate the sizes: each group of blocks has one size, and
/// larger sizes do not have more blocks.
bool areSeparated(const Profile &P, const Grown &G, bool Text, double First) {
  constexpr double kOff = 0.01, kOne = 1.5;
  for (const size_t I : G.Sites)
    if (P.Sites[I].Life.Timed < P.Sites[I].Life.Count)
      return false; // Some lifetimes are estimated from others.
  double Before = 0;
  for (const SizeGroups::Class &C : G.Sizes.Classes) {
    const double Mean = C.Bytes / C.Blocks;
    const double Step = grownSize(
        Text, First,
        std::max(0.0, std::round(std::log2((Mean - (Text ? 1 : 0)) / First))));
    const bool IsStep = std::abs(Mean - Step) <= kOff * Step;
    if ((!IsStep && C.Blocks > kOne) || (Before > 0 && C.Blocks > Before))
      return false;
    Before = C.Blocks;
  }
  return G.Sizes.Classes.size() > 1;
}

/// The sizes at which containers end: by lifetimes if these separate sizes,
/// otherwise one size for all.
FinalSizes endsOf(const Profile &P, const Grown &G, bool Text, double First,
                  double Doublings, double Steps) {
  const auto Blocks = static_cast<double>(G.Sum.Allocations);
  const auto AtLeast = std::max(1.0, containersAtLeast(P, G.Sum));
  std::vector<double> Sizes;
  constexpr int kMost = 48;
  Sizes.reserve(kMost);
  for (int I = 0; I < kMost; ++I)
    Sizes.push_back(grownSize(Text, First, I));
  if (G.Sizes.Classes.size() > 1) {
    FinalSizes Out(G.Sizes, Sizes, static_cast<size_t>(std::ceil(Doublings)),
                   G.Sum);
    constexpr double kOff = 1.25;
    // The containers are fewer than the minimum, so they do not begin with one
    // element.
    if (Out.containers() * kOff >= AtLeast) {
      Out.scaleTo(std::max(Out.containers(), AtLeast));
      return Out;
    }
  }
  return {std::max(1.0, Blocks / Steps),
          lastSize(Text, First, Doublings, Steps, meanOf(G.Sum))};
}

/// Sets the savings and the advice: one size for all if the largest takes no
/// more bytes than growth does, otherwise the size that half of them need,
/// otherwise the size of each.
void adviseReserve(Finding &F, const Grown &G, const FinalSizes &Ends,
                   double P99) {
  const auto Blocks = static_cast<double>(G.Sum.Allocations);
  const auto Bytes = static_cast<double>(G.Sum.AllocatedBytes);
  const FinalSizes::Sum Own = {Ends.containers(), Ends.finalBytes()};
  FinalSizes::Sum Left = Ends.reserved(P99);
  // Without the size of an element, the number of elements is unknown.
  F.Reserve = F.Ends ? F.Ends->P99 : 0;
  F.Advice = F.Ends ? fmt::format("reserve({}) before it is filled",
                                  humanCount(F.Reserve))
                    : "reserve what it will hold before it is filled";
  if (Left.Bytes > Bytes) {
    Left = Ends.reserved(Ends.quantile(0.5));
    F.Reserve = F.Ends ? F.Ends->P50 : 0;
    F.Advice = F.Ends ? fmt::format("reserve({}), or what each will hold",
                                    humanCount(F.Reserve))
                      : "reserve what each will hold";
    if (Left.Blocks - Own.Blocks > (Blocks - Own.Blocks) / 2) {
      Left = Own;
      F.Reserve = 0;
      F.Advice = "reserve what each will hold: sizes differ too much for one";
    }
  }
  F.Bytes = G.Sum.AllocatedBytes;
  F.Allocations = G.Sum.Allocations;
  F.SavesAllocations =
      static_cast<uint64_t>(std::max(0.0, Blocks - Left.Blocks));
  F.SavesBytes = static_cast<uint64_t>(std::max(0.0, Bytes - Left.Bytes));
}

/// True if containers are made repeatedly, few of them at a time. Their sizes
/// count as equal, because that is the same in every run.
bool comesAndGoes(const Profile &P, const Grown &G, double Containers,
                  double Last) {
  constexpr double kMany = 20, kFew = 0.1;
  const auto &Peak = P.Types[G.Type].PeakLiveBytes;
  return Containers >= kMany && G.Sum.LiveAllocations == 0 && Peak &&
         static_cast<double>(*Peak) <= kFew * Containers * Last;
}

/// Sets the savings, and the sizes at which containers end.
void describeEnds(Finding &F, const Profile &P, const Grown &G, bool Text,
                  double First, const FinalSizes &Ends) {
  const double P50 = Ends.quantile(0.5), P99 = Ends.quantile(0.99);
  const auto Room = [&](double Bytes) {
    return static_cast<uint64_t>(
        std::llround(Text ? Bytes - 1 : Bytes / First));
  };
  if (Text || P.Types[G.Type].Size)
    F.Ends = {Room(P50), Room(P99)};
  adviseReserve(F, G, Ends, P99);
  F.Message = fmt::format(
      "grows step by step: {} for about {}, {} moved; final size p50 {}, "
      "p99 {}",
      counted(G.Sum.Allocations, "block"),
      counted(static_cast<uint64_t>(std::llround(Ends.containers())),
              Text ? "string" : "vector"),
      humanBytes(static_cast<uint64_t>(std::max(
          0.0, static_cast<double>(G.Sum.AllocatedBytes) - Ends.finalBytes()))),
      F.Ends ? humanCount(F.Ends->P50) : humanBytes(static_cast<uint64_t>(P50)),
      F.Ends ? fmt::format("{} {}", humanCount(F.Ends->P99),
                           Text ? "characters" : "elements")
             : humanBytes(static_cast<uint64_t>(P99)));
}

/// As above, if the clock does not separate sizes: another run's would differ.
void describeGrowth(Finding &F, const Grown &G) {
  F.Bytes = G.Sum.AllocatedBytes;
  F.Allocations = G.Sum.Allocations;
  F.Message = fmt::format("grows step by step: {} of {} in all; clock=events "
                          "shows at which sizes it ends",
                          counted(F.Allocations, "block"), humanBytes(F.Bytes));
  F.Advice = "reserve what each will hold before it is filled";
}

/// Adds the savings of a regrowth, if it looks like one.
bool measureRegrowth(const Profile &P, const Grown &G, Finding &F) {
  const bool Text = isString(G.Alias);
  const double First = firstSize(P, G.Type, G.Alias, G.Sizes);
  const auto Size = [&](double I) { return grownSize(Text, First, I); };
  const double Doublings = stepsFor(meanOf(G.Sum), 48, Size);
  const double Steps =
      std::min(Doublings, static_cast<double>(G.Sum.Allocations) /
                              std::max(1.0, containersAtLeast(P, G.Sum)));
  const auto Spread = G.Sizes.spread();
  const bool InSteps = G.ByOne ? !Spread || G.Sizes.differ()
                               : likeSteps(Spread, Doublings, Size);
  if (Steps < kFewSteps || !InSteps)
    return false;
  // A string's first block has room for all appended text.
  constexpr double kMostly = 0.6;
  if (!G.ByOne && withinOneDoubling(G.Sizes) > kMostly * G.Sizes.Blocks)
    return false;
  F.Rule = Text ? RuleId::StringRegrowth : RuleId::VectorRegrowth;
  // As if all grew alike: only counts decide how much is at stake. Lifetimes
  // would show more, but two runs time different blocks, and severity and order
  // must be equal in both.
  const double Last = lastSize(Text, First, Doublings, Steps, meanOf(G.Sum));
  Finding Alike;
  const double Containers = saveGrowth(Alike, G.Sum, Steps, Last);
  F.Judged = {Alike.SavesBytes, Alike.SavesAllocations};
  if (const auto Equal = equalEnds(P, G, Text, First))
    describeEnds(F, P, G, Text, First, *Equal);
  else if (P.LifetimeUnit != Unit::Nanoseconds ||
           areSeparated(P, G, Text, First))
    describeEnds(F, P, G, Text, First,
                 endsOf(P, G, Text, First, Doublings, Steps));
  else
    describeGrowth(F, G);
  if (comesAndGoes(P, G, Containers, Last))
    F.Advice =
        fmt::format("reuse one, outside of the loop or the caller's, which "
                    "keeps its room; or {}",
                    F.Advice);
  return true;
}

/// True if a site's blocks may belong to containers that grow.
bool growsEnough(const FindingList &Out, const SiteResult &S) {
  return (S.Caller || Out.isEnough(S.Sum.AllocatedBytes, S.Sum.Allocations)) &&
         (regrows(S.Where) || std::ranges::any_of(S.Chain, regrows) ||
          std::ranges::any_of(S.Callers, regrows));
}

/// True if the growth of all such containers shares the site's function.
bool isShared(const SiteResult &S) {
  return S.Chain.empty()
             ? regrows(S.Where)
             : std::ranges::all_of(S.Chain, [](const SourceLocation &At) {
                 return !isUserPath(At.File);
               });
}

void addTo(Grown &G, const Profile &P, size_t Site, bool ByOne) {
  G.ByOne &= ByOne;
  G.Sum.add(P.Sites[Site].Sum);
  G.Sizes.add(P.Sites[Site].Sizes);
  G.Sites.push_back(Site);
}

Grown alone(const Profile &P, size_t Site) {
  const SiteResult &S = P.Sites[Site];
  return {S.Alias, S.Type, growsByOne(S), S.Sum, S.Sizes, &S, {Site}};
}

/// True if the smallest blocks are the containers' first ones.
bool beginsGrowth(const Profile &P, const Grown &G) {
  const std::optional<double> Smallest = smallestSize(G.Sizes);
  return !Smallest ||
         *Smallest < kDoubled * firstSize(P, G.Type, G.Alias, G.Sizes);
}

/// Joins the growths in one function: a line without a container's first block
/// continues the growth that another line began.
void joinLines(const Profile &P, std::vector<Grown> &Lines) {
  const auto Begins = [&](const Grown &G) { return beginsGrowth(P, G); };
  const auto First = std::ranges::find_if(Lines, Begins);
  if (First == Lines.end() || std::ranges::all_of(Lines, Begins))
    return;
  Grown All = std::move(*First);
  Lines.erase(First);
  for (const Grown &G : Lines)
    for (const size_t I : G.Sites)
      addTo(All, P, I, G.ByOne);
  Lines.clear();
  Lines.push_back(std::move(All));
}

/// Containers that grow, by function and kind.
using Functions =
    std::map<std::tuple<size_t, std::string, std::string, std::string>,
             std::vector<Grown>>;

/// Adds a site with a known line of the program.
void addLine(Functions &To, const Profile &P, size_t Site) {
  const SiteResult &S = P.Sites[Site];
  const SourceLocation &At = locationOf(S);
  std::vector<Grown> &Lines = To[{S.Type, S.Alias, At.Function, At.File}];
  if (!isShared(S)) {
    Lines.push_back(alone(P, Site));
    return;
  }
  // Several appends in one function usually feed one container.
  auto Same = std::ranges::find_if(
      Lines, [](const Grown &G) { return isShared(*G.First); });
  if (Same == Lines.end())
    Same = Lines.insert(Same, {S.Alias, S.Type, true, {}, {}, &S, {}});
  addTo(*Same, P, Site, growsByOne(P, Site));
}

} // namespace

void findRegrowth(FindingList &Out) {
  const Profile &P = Out.P;
  std::vector<Grown> All;
  Functions ByFunction;
  for (size_t I = 0; I < P.Sites.size(); ++I) {
    const SiteResult &S = P.Sites[I];
    if (!growsEnough(Out, S))
      continue;
    if (S.Caller || !isShared(S))
      addLine(ByFunction, P, I);
    else if (!isInStd(S.Alias, "string"))
      // Strings of the whole program share one function, so that their mean has
      // no meaning.
      All.push_back(alone(P, I));
  }
  for (auto &[Where, Lines] : ByFunction) {
    joinLines(P, Lines);
    std::ranges::move(Lines, std::back_inserter(All));
  }
  std::ranges::stable_sort(All, {}, [](const Grown &G) { return G.First; });
  for (const Grown &G : All) {
    Finding F = Out.of(RuleId::VectorRegrowth, *G.First);
    F.Sites = G.Sites;
    if (measureRegrowth(P, G, F))
      Out.add(std::move(F), G.First);
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
    const double Rises = stepsFor(meanOf(S.Sum), kBuckets.size(), Size);
    const double Steps =
        std::min(Rises, static_cast<double>(S.Sum.Allocations) /
                            std::max(1.0, containersAtLeast(Out.P, S.Sum)));
    // If sizes do not differ as growth steps do, they were reserved.
    if (Steps < kFewSteps || !likeSteps(S.Sizes.spread(), Rises, Size))
      continue;
    const double Largest = Size(std::floor(Steps - 1));
    Finding F = Out.of(RuleId::Rehash, S);
    saveGrowth(F, S.Sum, Steps, Largest);
    F.Message = fmt::format("rehashed {} as it grows",
                            counted(F.SavesAllocations, "time"));
    F.Reserve = static_cast<uint64_t>(Largest / kPointer);
    F.Advice =
        fmt::format("reserve({}) before it is filled", humanCount(F.Reserve));
    Out.add(std::move(F), &S);
  }
}

} // namespace inmem::report
