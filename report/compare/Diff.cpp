//===- Diff.cpp - Matching rows of two sets of runs -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/compare/Diff.h"

#include "report/model/LibraryCode.h"
#include "report/model/Match.h"
#include "report/model/ShownNames.h"
#include "report/model/StackTree.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace inmem::report {

namespace {

uint64_t distance(uint64_t A, uint64_t B) { return A > B ? A - B : B - A; }

/// Parts of one side of a row, collected until all runs are added.
struct Gathered {
  std::vector<Counts> Runs; ///< one per run; absent: zeros
  /// Sorted by line and column; stacks by number.
  std::map<std::pair<uint32_t, uint32_t>, SourceLocation> Locations;
  bool There = false;
  std::vector<uint64_t> Peaks; ///< by run
  bool PeaksKnown = true;

  void addPeak(size_t Index, size_t Count, std::optional<uint64_t> Peak) {
    Peaks.resize(Count);
    Peaks[Index] += Peak.value_or(0);
    PeaksKnown &= Peak.has_value();
  }

  Counts &run(size_t Index, size_t Count) {
    Runs.resize(Count);
    There = true;
    return Runs[Index];
  }

  DiffSide finish(size_t Count) {
    Runs.resize(Count);
    const auto Over = [&](auto Member) {
      std::vector<uint64_t> Values;
      Values.reserve(Runs.size());
      for (const Counts &C : Runs)
        Values.push_back(C.*Member);
      return Spread::over(std::move(Values));
    };
    DiffSide Out;
    Out.There = There;
    Out.Blocks = Over(&Counts::Allocations);
    Out.Bytes = Over(&Counts::AllocatedBytes);
    Out.LiveBytes = Over(&Counts::LiveBytes);
    if (PeaksKnown && !Peaks.empty())
      Out.Peak = Spread::over(Peaks).Median;
    for (const auto &[Key, P] : Locations)
      Out.Locations.push_back(P);
    for (const auto Member :
         {&Counts::Allocations, &Counts::AllocatedBytes, &Counts::Frees,
          &Counts::FreedBytes, &Counts::LiveAllocations, &Counts::LiveBytes,
          &Counts::Temporary})
      Out.Median.*Member = Over(Member).Median;
    for (const Counts &C : Runs)
      Out.Median.Unknown |= C.Unknown;
    return Out;
  }
};

/// Both sides of a row.
struct Pair {
  std::string Name, Alias, Type, Blocks, Kind;
  Gathered Old, New;
  Gathered &side(bool IsNew) { return IsNew ? New : Old; }
};

/// The source location of a site without its line.
struct SiteKey {
  std::string Function, File, Kind, Type;
  auto operator<=>(const SiteKey &) const = default;
};

std::string fileName(const std::string &Path) {
  return Path.substr(Path.rfind('/') + 1);
}

/// A function's name without parameters and template arguments.
std::string baseName(const std::string &Function) {
  return Function.substr(0, Function.find_first_of("(<"));
}

/// All sites with one key, distinguished by their position in the code.
struct Group {
  std::map<std::pair<uint32_t, uint32_t>, Pair> Old, New;
  auto &side(bool IsNew) { return IsNew ? New : Old; }
};

class Matcher {
public:
  Matcher(std::span<const Profile> OldRuns, std::span<const Profile> NewRuns)
      : Old(OldRuns), New(NewRuns) {}

  std::vector<DiffRow> types();
  std::vector<DiffRow> named();
  std::vector<DiffRow> sites();
  std::vector<DiffRow> stacks();

private:
  template <class F> void eachRun(F Do) {
    for (const bool IsNew : {false, true}) {
      const auto &Runs = IsNew ? New : Old;
      for (size_t I = 0; I < Runs.size(); ++I)
        Do(Runs[I], IsNew, I, Runs.size());
    }
  }
  void gatherSites();
  void joinByOrder(const SiteKey &Key, Group &G);
  template <class Key> void joinLeft(Key KeyOf);
  std::vector<DiffRow> finish(std::vector<Pair> Pairs);

  std::span<const Profile> Old, New;
  std::map<SiteKey, Group> Groups;
  std::vector<std::pair<SiteKey, Pair>> Rows; ///< rows of sites
};

std::vector<DiffRow> Matcher::finish(std::vector<Pair> Pairs) {
  std::vector<DiffRow> Out;
  for (Pair &P : Pairs) {
    DiffRow R;
    R.Name = std::move(P.Name);
    R.Alias = std::move(P.Alias);
    R.Type = std::move(P.Type);
    R.Blocks = std::move(P.Blocks);
    R.Old = P.Old.finish(Old.size());
    R.New = P.New.finish(New.size());
    Out.push_back(std::move(R));
  }
  const auto Key = [](const DiffRow &R) {
    const uint64_t Change =
        distance(R.Old.Median.AllocatedBytes, R.New.Median.AllocatedBytes);
    return std::tuple(R.noise(), ~Change, std::string_view(R.Name),
                      std::string_view(R.Type));
  };
  std::sort(Out.begin(), Out.end(), [&](const DiffRow &A, const DiffRow &B) {
    return Key(A) < Key(B);
  });
  return Out;
}

std::vector<DiffRow> Matcher::types() {
  std::map<std::string, Pair> Types;
  eachRun([&](const Profile &P, bool IsNew, size_t Run, size_t Count) {
    for (const TypeResult &T : P.Types) {
      if (T.Sum.Allocations == 0 && T.Sum.CarriedAllocations == 0)
        continue;
      Pair &Row = Types[stableName(T.Name.value_or(""))];
      Row.Name = T.Name.value_or(std::string(kUnknownType));
      Row.Alias = T.Alias;
      Row.side(IsNew).run(Run, Count).add(T.Sum);
      Row.side(IsNew).addPeak(Run, Count, T.PeakLiveBytes);
    }
  });
  std::vector<Pair> All;
  All.reserve(Types.size());
  for (auto &[Name, Row] : Types)
    All.push_back(std::move(Row));
  return finish(std::move(All));
}

std::vector<DiffRow> Matcher::named() {
  std::map<std::string, Pair> Types;
  eachRun([&](const Profile &P, bool IsNew, size_t Run, size_t Count) {
    for (const TypeRow &R : typeRowsOf(P)) {
      if (R.sum().Allocations == 0 && R.sum().CarriedAllocations == 0)
        continue;
      const std::string Name = R.name();
      Pair &Row = Types[stableName(Name)];
      Row.Name = R.Type->Name.value_or(std::string(kUnknownType));
      Row.Alias = Name;
      Row.side(IsNew).run(Run, Count).add(R.sum());
      Row.side(IsNew).addPeak(Run, Count, R.peak());
    }
  });
  std::vector<Pair> All;
  All.reserve(Types.size());
  for (auto &[Name, Row] : Types)
    All.push_back(std::move(Row));
  return finish(std::move(All));
}

void Matcher::gatherSites() {
  eachRun([&](const Profile &P, bool IsNew, size_t Run, size_t Count) {
    for (const SiteResult &S : P.Sites) {
      const std::string Type = P.Types[S.Type].Name.value_or("");
      // Inlining decides which function of the library allocated for a caller.
      const SourceLocation &At = locationOf(S);
      Group &G = Groups[{stableName(At.Function), At.File,
                         S.Caller ? std::string() : S.Kind, stableName(Type)}];
      Pair &Row = G.side(IsNew)[{At.Line, At.Column}];
      Row.Name = At.Function;
      Row.Type = Type;
      Row.Blocks = shownBlocks(P, S);
      Row.side(IsNew).run(Run, Count).add(S.Sum);
      Row.side(IsNew).Locations.try_emplace({At.Line, At.Column}, At);
    }
  });
}

/// Adds up two rows of one side.
void absorb(Gathered &Into, Gathered &From) {
  Into.There |= From.There;
  Into.Runs.resize(std::max(Into.Runs.size(), From.Runs.size()));
  for (size_t I = 0; I < From.Runs.size(); ++I)
    Into.Runs[I].add(From.Runs[I]);
  Into.Locations.merge(From.Locations);
}

/// Matches sites of one function, kind and type in order if their number is
/// unchanged, and merges them into a row otherwise.
void Matcher::joinByOrder(const SiteKey &Key, Group &G) {
  const bool Same =
      G.Old.size() == G.New.size() || G.Old.empty() || G.New.empty();
  std::vector<Pair> Of;
  for (const bool IsNew : {false, true}) {
    size_t Order = 0;
    for (auto &[Line, Site] : G.side(IsNew)) {
      const size_t At = Same ? Order++ : 0;
      if (At >= Of.size())
        Of.resize(At + 1);
      Of[At].Name = Site.Name;
      Of[At].Type = Site.Type;
      Of[At].Blocks = Site.Blocks;
      absorb(Of[At].side(IsNew), Site.side(IsNew));
    }
  }
  for (Pair &P : Of)
    Rows.emplace_back(Key, std::move(P));
}

/// Pairs removed rows with new rows in order if KeyOf returns the same key for
/// equally many of both. All rows of a side must belong to one function.
template <class Key> void Matcher::joinLeft(Key KeyOf) {
  struct Candidates {
    std::vector<size_t> Gone, Came;
  };
  const auto FirstLine = [&](size_t I) {
    const Pair &P = Rows[I].second;
    const auto &Locations = P.Old.There ? P.Old.Locations : P.New.Locations;
    return Locations.empty() ? std::pair<uint32_t, uint32_t>()
                             : Locations.begin()->first;
  };
  const auto OfOne = [&](const std::vector<size_t> &Some) {
    return std::ranges::all_of(Some, [&](size_t I) {
      return Rows[I].first.Function == Rows[Some.front()].first.Function;
    });
  };
  std::map<decltype(KeyOf(Rows[0].first)), Candidates> ByKey;
  for (size_t I = 0; I < Rows.size(); ++I) {
    const Pair &P = Rows[I].second;
    if (P.Old.There != P.New.There) {
      Candidates &C = ByKey[KeyOf(Rows[I].first)];
      (P.New.There ? C.Came : C.Gone).push_back(I);
    }
  }
  std::set<size_t> Moved;
  for (auto &[K, C] : ByKey) {
    if (C.Gone.size() != C.Came.size() || !OfOne(C.Gone) || !OfOne(C.Came))
      continue;
    std::ranges::stable_sort(C.Gone, {}, FirstLine);
    std::ranges::stable_sort(C.Came, {}, FirstLine);
    for (size_t I = 0; I < C.Gone.size(); ++I) {
      Rows[C.Came[I]].second.Old = std::move(Rows[C.Gone[I]].second.Old);
      Moved.insert(C.Gone[I]);
    }
  }
  size_t Index = 0;
  std::erase_if(Rows, [&](const auto &) { return Moved.contains(Index++); });
}

std::vector<DiffRow> Matcher::sites() {
  gatherSites();
  for (auto &[Key, G] : Groups)
    joinByOrder(Key, G);
  // The file was moved, the signature changed, the function was renamed.
  joinLeft([](const SiteKey &K) {
    return std::tuple(K.Function, fileName(K.File), K.Kind, K.Type);
  });
  joinLeft(
      [](const SiteKey &K) { return std::tuple(K.Function, K.Kind, K.Type); });
  joinLeft([](const SiteKey &K) {
    return std::tuple(baseName(K.Function), fileName(K.File), K.Kind, K.Type);
  });
  joinLeft([](const SiteKey &K) {
    return std::tuple(fileName(K.File), K.Kind, K.Type);
  });
  std::vector<Pair> All;
  All.reserve(Rows.size());
  for (auto &[Key, Row] : Rows)
    All.push_back(std::move(Row));
  return finish(std::move(All));
}

std::vector<DiffRow> Matcher::stacks() {
  std::map<std::pair<std::vector<std::string>, std::string>, Pair> Stacks;
  eachRun([&](const Profile &P, bool IsNew, size_t Run, size_t Count) {
    const std::vector<uint32_t> Groups = frameGroups(P.Calls, /*ByLine=*/false);
    for (const StackResult &S : P.Calls.Stacks) {
      std::vector<std::string> Functions;
      std::vector<SourceLocation> Locations;
      for (const uint32_t F : mergeRecursion(S.Frames, Groups)) {
        Locations.push_back(P.Calls.Frames[F].Where);
        Functions.push_back(stableName(Locations.back().Function));
      }
      if (Locations.empty())
        continue;
      const std::string Type = P.Types[S.Type].Name.value_or("");
      Pair &Row = Stacks[{std::move(Functions), stableName(Type)}];
      Row.Name = Locations.back().Function;
      Row.Type = Type;
      Row.Blocks = shownBlocks(P, P.Sites[S.Site]);
      Gathered &Side = Row.side(IsNew);
      Side.run(Run, Count).add(S.Sum);
      if (Side.Locations.empty())
        for (uint32_t I = 0; I < Locations.size(); ++I)
          Side.Locations.try_emplace({I, 0}, std::move(Locations[I]));
    }
  });
  std::vector<Pair> All;
  All.reserve(Stacks.size());
  for (auto &[Key, Row] : Stacks)
    All.push_back(std::move(Row));
  return finish(std::move(All));
}

DiffSide totalsOf(std::span<const Profile> Runs) {
  Gathered All;
  for (size_t I = 0; I < Runs.size(); ++I) {
    All.run(I, Runs.size()) = Runs[I].Totals;
    All.addPeak(I, Runs.size(), Runs[I].PeakLiveBytes);
  }
  return All.finish(Runs.size());
}

size_t skipDigits(std::string_view Text, size_t At) {
  while (At < Text.size() && std::isdigit(static_cast<unsigned char>(Text[At])))
    ++At;
  return At;
}

/// The end of `:LINE:COLUMN` at At, or At.
size_t skipPosition(std::string_view Text, size_t At) {
  size_t End = At;
  for (int Part = 0; Part < 2; ++Part) {
    if (End >= Text.size() || Text[End] != ':')
      return At;
    const size_t Digits = skipDigits(Text, End + 1);
    if (Digits == End + 1)
      return At;
    End = Digits;
  }
  return End < Text.size() && Text[End] == ')' ? End : At;
}

/// The end of the number after a word that the compiler numbers, or At.
size_t skipNumber(std::string_view Text, size_t At) {
  constexpr std::string_view kNumbered[] = {"$_", "'lambda", "'unnamed",
                                            "{lambda#", "#"};
  const std::string_view Before = Text.substr(0, At);
  for (const std::string_view Word : kNumbered)
    if (Before.ends_with(Word))
      return skipDigits(Text, At);
  return At;
}

} // namespace

std::string stableName(std::string_view Name) {
  // Clones of a function have a suffix that no C++ name contains.
  for (const std::string_view Clone :
       {" [clone", " (.llvm.", " (.cold", " (.part.", ".llvm.", ".__uniq.",
        ".cold", ".part.", ".isra.", ".constprop."})
    if (const size_t At = Name.find(Clone); At != std::string_view::npos)
      Name = Name.substr(0, At);
  std::string Out;
  for (size_t At = 0; At < Name.size();) {
    if (const size_t End = skipPosition(Name, At); End > At) {
      At = End;
    } else if (const size_t Number = skipNumber(Name, At); Number > At) {
      At = Number;
    } else {
      Out += Name[At++];
    }
  }
  return Out;
}

Spread Spread::over(std::vector<uint64_t> Values) {
  if (Values.empty())
    return {};
  std::sort(Values.begin(), Values.end());
  return {Values[Values.size() / 2], Values.front(), Values.back()};
}

bool DiffRow::changed() const {
  return Old.There != New.There ||
         Old.Median.Allocations != New.Median.Allocations ||
         Old.Median.AllocatedBytes != New.Median.AllocatedBytes ||
         Old.Median.LiveBytes != New.Median.LiveBytes;
}

bool DiffRow::noise() const {
  return changed() && Old.Blocks.overlaps(New.Blocks) &&
         Old.Bytes.overlaps(New.Bytes) && Old.LiveBytes.overlaps(New.LiveBytes);
}

Diff compare(std::span<const Profile> Old, std::span<const Profile> New) {
  Diff D;
  D.OldRuns = Old.size();
  D.NewRuns = New.size();
  D.Old = totalsOf(Old);
  D.New = totalsOf(New);
  Matcher M(Old, New);
  D.Types = M.types();
  D.Named = M.named();
  D.Sites = M.sites();
  D.Stacks = M.stacks();
  return D;
}

Diff compare(const Profile &Old, const Profile &New) {
  return compare(std::span(&Old, 1), std::span(&New, 1));
}

} // namespace inmem::report
