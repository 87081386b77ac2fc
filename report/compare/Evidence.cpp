//===- Evidence.cpp - Which sites make up a figure ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/compare/Check.h"

#include "report/compare/Diff.h"
#include "report/model/LibraryCode.h"
#include "report/model/ShownNames.h"
#include "report/model/TypeFacts.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace inmem::report {

bool isOfObjects(Metric What) {
  return What >= Metric::Constructed && What <= Metric::Moves;
}

bool isOfLifetimes(Metric What) { return nameOf(What).In == Dimension::Life; }

bool belongs(const ObjectSite &Site, Metric What) {
  return What == Metric::Copies  ? Site.Manner == INMEM_MANNER_COPY
         : What == Metric::Moves ? Site.Manner == INMEM_MANNER_MOVE
                                 : true;
}

uint64_t blockFigure(const Counts &C, Metric What) {
  switch (What) {
  case Metric::Blocks:
    return C.Allocations;
  case Metric::Bytes:
    return C.AllocatedBytes;
  case Metric::LiveBlocks:
    return C.LiveAllocations;
  case Metric::LiveBytes:
    return C.LiveBytes;
  case Metric::TemporaryBlocks:
    return C.Temporary;
  case Metric::Reallocations:
    return C.Reallocations;
  default:
    return 0;
  }
}

std::optional<uint64_t> lifetimeFigure(const Lifetime &L, Metric What) {
  switch (What) {
  case Metric::LifetimeP50:
    return L.P50;
  case Metric::LifetimeP90:
    return L.P90;
  case Metric::LifetimeP99:
    return L.P99;
  default:
    return L.Max;
  }
}

namespace {

/// Adds up rows that read the same, such as rows of one caller through several
/// library functions.
class Rows {
public:
  /// \param Highest whether the longest lifetime counts instead of the sum
  explicit Rows(bool Highest) : Highest(Highest) {}

  void add(std::string Type, const SourceLocation &Where, uint64_t Value) {
    if (Value == 0)
      return;
    const auto [Row, New] = Index.try_emplace(
        {Type, Where.Function, Where.File, Where.Line, Where.Column},
        All.size());
    if (New) {
      All.push_back({std::move(Type), Where, Value, {}});
      return;
    }
    uint64_t &Sum = All[Row->second].Value;
    Sum = Highest ? std::max(Sum, Value) : Sum + Value;
  }
  std::vector<Contributor> take() { return std::move(All); }

private:
  bool Highest;
  std::map<
      std::tuple<std::string, std::string, std::string, uint32_t, uint32_t>,
      size_t>
      Index;
  std::vector<Contributor> All;
};

/// Objects alive at the end. Their source location is known if they were
/// followed, if one place makes all, or from the blocks that were not freed.
void addAlive(const Profile &P, const ChosenRows &Chosen, Rows &To) {
  std::set<size_t> Types;
  for (const auto &[Type, Site] : Chosen.Objects)
    Types.insert(Type);
  const std::vector<Undestroyed> Left = undestroyed(P);
  for (const size_t I : Types) {
    const TypeResult &T = P.Types[I];
    uint64_t Rest = T.Objects->alive().value_or(0);
    const auto Add = [&](const SourceLocation &Where, uint64_t Value) {
      Value = std::min(Value, Rest);
      To.add(shownClass(T), Where, Value);
      Rest -= Value;
    };
    for (const ObjectSite &S : T.Objects->Sites)
      Add(S.Where, T.Objects->Sites.size() == 1 ? Rest : S.Alive.value_or(0));
    const auto Row = std::ranges::find(Left, &T, &Undestroyed::Type);
    if (Rest > 0 && Row != Left.end())
      for (const size_t Site : Row->LiveSites) {
        const Counts &C = P.Sites[Site].Sum;
        // Each element of an array is an object.
        const bool Own = P.Sites[Site].Type == I && T.Size.value_or(0) > 0;
        Add(locationOf(P.Sites[Site]),
            std::max(C.LiveAllocations, Own ? C.LiveBytes / *T.Size : 0));
      }
    SourceLocation Unknown;
    Unknown.Function = "(not known: objects=lifetime records it)";
    Add(Unknown, Rest);
  }
}

void sortBySize(std::vector<Contributor> &All) {
  std::stable_sort(
      All.begin(), All.end(), [](const Contributor &A, const Contributor &B) {
        return A.Value != B.Value
                   ? A.Value > B.Value
                   : std::tie(A.Where.File, A.Where.Line, A.Where.Column,
                              A.Type) < std::tie(B.Where.File, B.Where.Line,
                                                 B.Where.Column, B.Type);
      });
}

} // namespace

Evidence evidenceOf(const Profile &P, const ChosenRows &Chosen, Metric What) {
  Evidence Out;
  Out.Figure = nameOf(What).Word;
  if (What == Metric::PeakRss) // a program can only change its live memory
    What = Metric::PeakBytes;
  Rows All(isOfLifetimes(What));
  if (What == Metric::Alive) {
    addAlive(P, Chosen, All);
  } else if (isOfObjects(What)) {
    for (const auto &[Type, Site] : Chosen.Objects)
      if (belongs(*Site, What))
        All.add(shownClass(P.Types[Type]), Site->Where, Site->Constructed);
  } else {
    const bool PeakParts = std::ranges::any_of(Chosen.Sites, [&](size_t I) {
      return P.Sites[I].Peak && P.Sites[I].Peak->BytesAtMost > 0;
    });
    if (What == Metric::PeakBytes)
      Out.Figure = PeakParts ? "at the peak" : "allocated";
    for (const size_t I : Chosen.Sites) {
      const SiteResult &S = P.Sites[I];
      uint64_t Value = 0;
      if (isOfLifetimes(What))
        Value = lifetimeFigure(S.Life, What).value_or(0);
      else if (What != Metric::PeakBytes)
        Value = blockFigure(S.Sum, What);
      else if (!PeakParts)
        Value = S.Sum.AllocatedBytes;
      else if (S.Peak)
        Value = S.Peak->BytesAtMost;
      All.add(shownBlocks(P, S), locationOf(S), Value);
    }
  }
  Out.From = All.take();
  sortBySize(Out.From);
  return Out;
}

void compareEvidence(Evidence &New, std::span<const Evidence> Old, bool Fell) {
  // Line numbers change, so a row of an earlier run matches one of the same
  // function.
  using Key = std::tuple<std::string, std::string, std::string>;
  const auto KeyOf = [](const Contributor &C) {
    return Key(stableName(C.Type), stableName(C.Where.Function), C.Where.File);
  };
  std::map<Key, uint64_t> Before;
  for (const Evidence &E : Old) {
    std::map<Key, uint64_t> Sums;
    for (const Contributor &C : E.From)
      Sums[KeyOf(C)] += C.Value;
    for (const auto &[K, Sum] : Sums)
      Before[K] = std::max(Before[K], Sum);
  }
  std::map<Key, Contributor> Rows; // by function, at its largest line
  for (Contributor &C : New.From) {
    const auto [Row, First] = Rows.try_emplace(KeyOf(C), C);
    if (!First)
      Row->second.Value += C.Value;
  }
  if (Fell)
    for (const Evidence &E : Old)
      for (const Contributor &C : E.From)
        if (const auto [Row, Gone] = Rows.try_emplace(KeyOf(C), C); Gone)
          Row->second.Value = 0;
  const auto Change = [Fell](const Contributor &C) {
    const auto Grown = static_cast<__int128>(C.Value) -
                       static_cast<__int128>(C.Before.value_or(0));
    return Fell ? -Grown : Grown;
  };
  std::vector<Contributor> All;
  for (auto &[K, C] : Rows) {
    const auto Found = Before.find(K);
    C.Before = Found == Before.end() ? 0 : Found->second;
    All.push_back(std::move(C));
  }
  if (std::ranges::any_of(All, [&](const auto &C) { return Change(C) > 0; }))
    std::erase_if(All, [&](const auto &C) { return Change(C) <= 0; });
  sortBySize(All);
  std::ranges::stable_sort(All, std::greater{}, Change);
  New.From = std::move(All);
}

} // namespace inmem::report
