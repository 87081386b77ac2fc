//===- Check.cpp - Measuring and judging ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/compare/Check.h"

#include "report/base/Units.h"
#include "report/model/LibraryCode.h"
#include "report/model/Match.h"
#include "report/text/Table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <unordered_map>

namespace inmem::report {

namespace {

/// A pattern that matches only Name, in a form that TOML can hold: bytes of
/// Name that are not text match any byte.
std::string patternOf(std::string_view Name) {
  if (printable(Style{}, Name) == Name)
    return globOf(Name);
  std::string Out;
  for (const char C : Name)
    Out += C >= 0x20 && C < 0x7f ? globOf({&C, 1}) : "?";
  return Out;
}

/// The figure of a metric, or the reason why it is unknown.
struct Measured {
  std::optional<uint64_t> Value;
  std::string Unknown; ///< reason; empty if known or nothing to measure
  bool Matched = true;
};

/// Another tool's profile may lack it.
bool knows(const Counts &C, Metric What) {
  switch (What) {
  case Metric::Blocks:
    return C.allocations().has_value();
  case Metric::Bytes:
    return C.allocatedBytes().has_value();
  case Metric::LiveBlocks:
    return C.liveAllocations().has_value();
  case Metric::LiveBytes:
    return C.liveBytes().has_value();
  case Metric::TemporaryBlocks:
    return C.temporary().has_value();
  default:
    return true;
  }
}

std::optional<uint64_t> objectFigure(const ObjectCounts &O, Metric What) {
  switch (What) {
  case Metric::Constructed:
    return O.constructed();
  case Metric::Alive:
    return O.alive();
  case Metric::Copies:
    return O.Copied;
  default:
    return O.Moved;
  }
}

/// Lifetimes of several rows, merged.
class MergedLifetime {
public:
  void add(const Lifetime &L) {
    if (L.Count == 0)
      return;
    Freed = true;
    if (!L.known()) {
      Known = false;
      return;
    }
    ++Rows;
    Last = &L;
    All.add(L.Lifetimes);
    Max = std::max(Max, L.Max.value_or(0));
  }

  Measured figure(Metric What) const {
    if (!Freed)
      return {};
    if (!Known || !Last)
      return {{}, "lifetimes were not measured"};
    if (Rows == 1)
      return {lifetimeFigure(*Last, What), {}};
    if (What == Metric::LifetimeMax)
      return {Max, {}};
    const double Share = What == Metric::LifetimeP50   ? 0.5
                         : What == Metric::LifetimeP90 ? 0.9
                                                       : 0.99;
    return {std::min(All.quantile(Share), Max), {}};
  }

private:
  Histogram All;
  const Lifetime *Last = nullptr;
  size_t Rows = 0;
  uint64_t Max = 0;
  bool Freed = false, Known = true;
};

/// The part of a profile that a subject selects.
class Selection {
public:
  Selection(const Profile &From, const Subject &Of);

  Measured measure(Metric What) const;
  Evidence evidence(Metric What) const {
    return evidenceOf(From, {Types, Sites, Objects}, What);
  }

private:
  Measured measureObjects(Metric What) const;
  bool bySite() const { return Of.Of == Subject::Kind::Site; }
  bool instrumented() const;

  const Profile &From;
  const Subject &Of;
  std::vector<size_t> Types, Sites;
  std::vector<std::pair<size_t, const ObjectSite *>> Objects;
};

Selection::Selection(const Profile &P, const Subject &What)
    : From(P), Of(What) {
  const auto TypeWanted = [&](const TypeResult &T) {
    return Of.Of != Subject::Kind::Type || matchesType(Of.Glob, T);
  };
  std::vector<bool> Chosen(P.Types.size());
  for (size_t I = 0; I < P.Types.size(); ++I)
    if (!bySite() && TypeWanted(P.Types[I])) {
      Types.push_back(I);
      Chosen[I] = true;
    }
  for (size_t I = 0; I < P.Sites.size(); ++I)
    if (bySite() ? matchesSite(Of.Glob, P.Sites[I]) : Chosen[P.Sites[I].Type])
      Sites.push_back(I);
  for (size_t I = 0; I < P.Types.size(); ++I)
    if (P.Types[I].Objects)
      for (const ObjectSite &S : P.Types[I].Objects->Sites)
        if (bySite() ? matchesLocation(Of.Glob, S.Where) : Chosen[I])
          Objects.emplace_back(I, &S);
}

/// True if the absence of a name means that the run did not allocate it.
bool Selection::instrumented() const {
  return std::any_of(From.Processes.begin(), From.Processes.end(),
                     [](const ProcessResult &P) { return P.Instrumented; }) ||
         std::any_of(From.Types.begin(), From.Types.end(),
                     [](const TypeResult &T) { return T.Name.has_value(); });
}

Measured Selection::measureObjects(Metric What) const {
  if (!From.ObjectsKnown)
    return {{},
            "no objects were counted (objects=off, or none has a counted "
            "class)"};
  Measured M;
  M.Value = 0;
  M.Matched = Of.Of == Subject::Kind::Totals || !Objects.empty();
  if (bySite()) {
    for (const auto &[Type, Site] : Objects)
      if (belongs(*Site, What))
        *M.Value += Site->Constructed;
    return M;
  }
  for (const size_t I : Types) {
    const TypeResult &T = From.Types[I];
    M.Matched |= T.Objects.has_value();
    if (!T.Objects)
      continue;
    const auto Figure = objectFigure(*T.Objects, What);
    if (Figure)
      *M.Value += *Figure;
    else if (Of.Of == Subject::Kind::Type)
      return {{},
              "the destructor of " + T.Name.value_or("") + " is not counted"};
  }
  return M;
}

Measured Selection::measure(Metric What) const {
  Measured M;
  if (Of.Of == Subject::Kind::Type && Of.Glob != kUnknownType &&
      !instrumented())
    return {{}, "the program was not built with inmem: its types are unknown"};
  if (isOfObjects(What))
    return measureObjects(What);
  M.Matched = Of.Of == Subject::Kind::Totals ||
              !(bySite() ? Sites.empty() : Types.empty());
  if (isOfLifetimes(What)) {
    MergedLifetime All;
    if (bySite())
      for (const size_t I : Sites)
        All.add(From.Sites[I].Life);
    else
      for (const size_t I : Types)
        All.add(From.Types[I].Life);
    Measured Life = All.figure(What);
    Life.Matched = M.Matched;
    return Life;
  }
  if (What == Metric::PeakRss) {
    if (From.WholeRun)
      M.Value = From.peakResidentBytes();
    if (!M.Value)
      M.Unknown = "the resident size is known of whole runs only, which ended "
                  "in order";
    return M;
  }
  if (What == Metric::PeakBytes) {
    if (Of.Of == Subject::Kind::Totals)
      M.Value = From.PeakLiveBytes;
    else
      M.Value = 0;
    for (const size_t I : Types) {
      if (Of.Of == Subject::Kind::Totals)
        break;
      const TypeResult &T = From.Types[I];
      if (T.PeakLiveBytes)
        *M.Value += *T.PeakLiveBytes;
      else if (T.Sum.Allocations + T.Sum.CarriedAllocations > 0)
        return {{},
                "the peak of " + T.Name.value_or(std::string(kUnknownType)) +
                    " is not known"};
    }
    if (!M.Value)
      M.Unknown = "the peak is not known";
    return M;
  }
  M.Value = 0;
  bool Known = true;
  const auto Add = [&](const Counts &C) {
    Known &= knows(C, What);
    *M.Value += blockFigure(C, What);
  };
  if (Of.Of == Subject::Kind::Totals)
    Add(From.Totals);
  else if (bySite())
    for (const size_t I : Sites)
      Add(From.Sites[I].Sum);
  else
    for (const size_t I : Types)
      Add(From.Types[I].Sum);
  if (!Known)
    return {{}, "the tool that recorded it did not count this"};
  return M;
}

/// Explains to the user of a clock which unit its limits need.
std::string wrongUnit(Unit Found) {
  return Found == Unit::Bytes
             ? "the trace has lifetimes in bytes (clock=events), the budget "
               "gives a time"
             : "the trace has lifetimes in time, the budget gives a size "
               "(which needs clock=events)";
}

/// \param Old earlier runs, if any
Verdict judge(const Limit &L, const RunProfile &R,
              std::span<const Profile> Old) {
  Verdict V;
  V.Of = &L;
  const Profile *P = &R.Whole;
  if (!L.Of.Phase.empty()) {
    const auto Found = R.Phases.find(L.Of.Phase);
    if (Found == R.Phases.end()) {
      V.Is = Verdict::Kind::Unknown;
      V.Reason = "no phase with that name in this run";
      return V;
    }
    P = &Found->second;
  }
  const Selection Selected(*P, L.Of);
  Measured M = Selected.measure(L.What);
  if (M.Unknown.empty() && isOfLifetimes(L.What) &&
      P->LifetimeUnit != L.LifetimeUnit)
    M = {{}, wrongUnit(P->LifetimeUnit)};
  V.Value = M.Value;
  V.Matched = M.Matched;
  V.Reason = M.Unknown;
  if (!M.Unknown.empty())
    V.Is = Verdict::Kind::Unknown;
  else if (M.Value && L.Max && *M.Value > *L.Max)
    V.Is = Verdict::Kind::Above;
  else if (L.Min && M.Value.value_or(0) < *L.Min)
    V.Is = Verdict::Kind::Below;
  if (V.Is != Verdict::Kind::Above && V.Is != Verdict::Kind::Below)
    return V;
  Evidence Found = Selected.evidence(L.What);
  std::vector<Evidence> Before;
  if (L.Of.Phase.empty()) // earlier runs have no phases
    for (const Profile &Run : Old)
      Before.push_back(Selection(Run, L.Of).evidence(L.What));
  if (!Before.empty())
    compareEvidence(Found, Before, V.Is == Verdict::Kind::Below);
  constexpr size_t kMost = 10;
  if (Found.From.size() > kMost)
    Found.From.resize(kMost);
  V.From = std::move(Found.From);
  V.Figure = Found.Figure;
  return V;
}

/// The limits that follow from earlier runs for one run.
std::vector<Limit> derive(std::span<const BaselineRule> Rules,
                          std::span<const Profile> Old, const Profile &New) {
  std::vector<Limit> Out;
  const auto Add = [&](const BaselineRule &R, Subject Of) {
    uint64_t Highest = 0;
    for (const Profile &P : Old) {
      const Measured M = Selection(P, Of).measure(R.What);
      if (!M.Unknown.empty())
        return; // Nothing to compare with.
      Highest = std::max(Highest, M.Value.value_or(0));
    }
    const bool Chosen = R.At.Line != 0;
    if (!Chosen && !Selection(New, Of).measure(R.What).Unknown.empty())
      return;
    Limit L;
    L.Of = std::move(Of);
    L.What = R.What;
    L.Max = R.By.above(Highest);
    L.LifetimeUnit = New.LifetimeUnit;
    L.At = R.At;
    L.Because = fmt::format("baseline {} and {}", Highest, R.By.str());
    Out.push_back(std::move(L));
  };
  for (const BaselineRule &R : Rules) {
    if (R.Of.Of == Subject::Kind::Totals) {
      Add(R, R.Of);
      continue;
    }
    // Line numbers change, so a site is identified by its function.
    std::set<std::string> Globs;
    if (R.Of.Of == Subject::Kind::Type) {
      for (const TypeResult &T : New.Types)
        if (matchesType(R.Of.Glob, T))
          Globs.insert(T.Name ? patternOf(*T.Name) : std::string(kUnknownType));
    } else {
      for (const SiteResult &S : New.Sites)
        if (!S.Where.Function.empty() && matchesSite(R.Of.Glob, S))
          Globs.insert(patternOf(S.Where.Function));
    }
    for (const std::string &Glob : Globs)
      Add(R, {R.Of.Of, Glob, ""});
  }
  return Out;
}

/// Names limits on a type by its blocks, as reports do, if all blocks have one
/// name: `bytes of std::vector<Foo *> buffer` instead of `bytes of Foo *`.
void nameLimits(std::vector<Limit> &Limits, const Profile &In) {
  std::unordered_map<std::string, std::string_view> Names;
  for (const TypeResult &T : In.Types)
    if (const std::string &Name =
            T.BlocksAlias.empty() ? T.Alias : T.BlocksAlias;
        T.Name && !Name.empty())
      Names.emplace(patternOf(*T.Name), Name);
  for (Limit &L : Limits) {
    const auto Found = Names.find(L.Of.Glob);
    if (Found != Names.end() && L.Of.Of == Subject::Kind::Type &&
        L.What != Metric::Alive && !isOfObjects(L.What))
      L.Called = Found->second;
  }
}

} // namespace

size_t CheckResult::limits() const {
  size_t Count = 0;
  for (const RunVerdicts &R : Runs)
    Count += R.All.size();
  return Count;
}

size_t CheckResult::broken() const {
  size_t Count = 0;
  for (const RunVerdicts &R : Runs)
    Count += static_cast<size_t>(
        std::count_if(R.All.begin(), R.All.end(),
                      [](const Verdict &V) { return !V.holds(); }));
  return Count;
}

CheckResult check(const Budget &With, std::span<const RunProfile> Runs,
                  std::span<const Profile> Baselines,
                  std::span<const BaselineRule> Rules) {
  CheckResult Out;
  Out.File = With.File;
  for (const RunProfile &R : Runs) {
    RunVerdicts &To = Out.Runs.emplace_back();
    To.Run = R.Name;
    To.Notes = R.Whole.Notes;
    if (!Baselines.empty())
      To.Derived = derive(Rules, Baselines, R.Whole);
    To.Given = With.Limits;
    nameLimits(To.Given, R.Whole);
    nameLimits(To.Derived, R.Whole);
    for (const Limit &L : To.Given)
      To.All.push_back(judge(L, R, Baselines));
    for (const Limit &L : To.Derived)
      To.All.push_back(judge(L, R, Baselines));
  }
  return Out;
}

namespace {

/// Lines of a learned budget for one subject.
class Learner {
public:
  Learner(std::span<const RunProfile> From, const LearnOptions &With)
      : Runs(From), Options(With) {}

  std::string table(const Subject &Of, std::span<const Metric> Metrics) const {
    std::string Lines;
    for (const Metric What : Metrics)
      Lines += line(Of, What);
    return Lines.empty() ? "" : fmt::format("\n[{}]\n{}", Of.str(), Lines);
  }

private:
  std::string line(const Subject &Of, Metric What) const {
    uint64_t Least = ~uint64_t{0}, Most = 0;
    for (const RunProfile &R : Runs) {
      const Measured M = Selection(R.Whole, Of).measure(What);
      if (!M.Unknown.empty())
        return {};
      Least = std::min(Least, M.Value.value_or(0));
      Most = std::max(Most, M.Value.value_or(0));
    }
    Tolerance Slack = Options.Slack;
    Slack.Plus += Most - Least;
    const uint64_t Allowed = Slack.above(Most);
    if (Allowed > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return {}; // TOML has no such integers
    const bool Life = isOfLifetimes(What);
    return fmt::format(
        "{} = {}  # {}\n", nameOf(What).Word,
        Life ? fmt::format("\"{} B\"", Allowed) : fmt::format("{}", Allowed),
        Least == Most
            ? fmt::format("{} in {} run{}", Most, Runs.size(),
                          Runs.size() == 1 ? "" : "s")
            : fmt::format("{} to {} in {} runs", Least, Most, Runs.size()));
  }

  std::span<const RunProfile> Runs;
  const LearnOptions &Options;
};

} // namespace

std::string learnBudget(std::span<const RunProfile> Runs,
                        const LearnOptions &Options) {
  const bool EventsClock =
      std::all_of(Runs.begin(), Runs.end(), [](const RunProfile &R) {
        return R.Whole.LifetimeUnit == Unit::Bytes;
      });
  // One limit per cause: more blocks are also more bytes, and the totals catch
  // growth of size alone.
  std::vector<Metric> OfTypes = {Metric::Blocks};
  if (EventsClock)
    OfTypes.push_back(Metric::LifetimeP99);
  const Learner Of(Runs, Options);
  std::string Out = fmt::format(
      "# Learned from {} run{}: the highest figure seen, as much again as the "
      "runs\n# differed by{}.\nschema = \"inmem-budget/1\"\n",
      Runs.size(), Runs.size() == 1 ? "" : "s",
      Options.Slack.Percent > 0 || Options.Slack.Plus > 0
          ? ", and " + Options.Slack.str()
          : "");
  Out += Of.table({Subject::Kind::Totals, "", ""},
                  std::array{Metric::Blocks, Metric::Bytes, Metric::PeakBytes});
  // Only blocks with a type: the blocks that the C and C++ libraries keep for
  // themselves have none, and depend on the libraries' versions.
  Out +=
      Of.table({Subject::Kind::Type, "*", ""}, std::array{Metric::LiveBytes});
  // The largest types, by the most bytes that any run allocated.
  std::map<std::string, uint64_t> Bytes;
  std::set<std::string> WithObjects;
  for (const RunProfile &R : Runs)
    for (const TypeResult &T : R.Whole.Types) {
      if (!T.Name || T.BlocksAlias == kLibraryMemory)
        continue;
      // The name in reports. Limits apply to the spelling or the alias.
      const std::string &Name = T.Alias.empty() ? *T.Name : T.Alias;
      uint64_t &Most = Bytes[Name];
      Most = std::max(Most, T.Sum.AllocatedBytes);
      if (T.Objects)
        WithObjects.insert(Name);
    }
  std::vector<std::pair<std::string, uint64_t>> Types(Bytes.begin(),
                                                      Bytes.end());
  std::erase_if(Types, [](const auto &T) { return T.second == 0; });
  std::sort(Types.begin(), Types.end(), [](const auto &A, const auto &B) {
    return A.second != B.second ? A.second > B.second : A.first < B.first;
  });
  if (Options.Types != 0 && Types.size() > Options.Types)
    Types.resize(Options.Types);
  std::set<std::string> Done;
  for (const auto &[Name, Size] : Types) {
    std::vector<Metric> OfType = OfTypes;
    if (WithObjects.contains(Name))
      OfType.push_back(Metric::Copies);
    if (const auto [Glob, New] = Done.insert(patternOf(Name)); New)
      Out += Of.table({Subject::Kind::Type, *Glob, ""}, OfType);
  }
  return Out;
}

} // namespace inmem::report
