//===- Profile.cpp - Traces to results ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Profile.h"

#include "CallStacks.h"
#include "Inherited.h"
#include "Match.h"
#include "TypeName.h"

#include "inmem/abi.h"
#include "trace/Names.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace inmem::report {

using trace::Trace;

void Counts::add(const Counts &Other) {
  Allocations += Other.Allocations;
  AllocatedBytes += Other.AllocatedBytes;
  Frees += Other.Frees;
  FreedBytes += Other.FreedBytes;
  LiveAllocations += Other.LiveAllocations;
  LiveBytes += Other.LiveBytes;
  Temporary += Other.Temporary;
  Reallocations += Other.Reallocations;
  CarriedAllocations += Other.CarriedAllocations;
  CarriedBytes += Other.CarriedBytes;
  Estimated |= Other.Estimated;
  // Samples are independent of each other.
  AllocationsVariance += Other.AllocationsVariance;
  BytesVariance += Other.BytesVariance;
}

namespace {

uint64_t minus(uint64_t A, uint64_t B) { return A > B ? A - B : 0; }

uint64_t rounded(double Value) {
  if (Value >= 1.8e19)
    return ~uint64_t{0};
  return Value > 0 ? static_cast<uint64_t>(std::round(Value)) : 0;
}

/// In the place of a rule: code without instrumentation.
constexpr uint32_t kCallerRule = ~0u;

std::string_view fileName(std::string_view Path) {
  return Path.substr(Path.rfind('/') + 1);
}

/// Half the width of the interval that holds a normally distributed value with
/// a probability of 95 %.
uint64_t halfOf95(double Variance) {
  return rounded(std::ceil(1.959964 * std::sqrt(Variance)));
}

/// The variance of estimates from \p Blocks samples of \p Bytes in all, each
/// taken with the probability 1/Weight independently of the others: the
/// Horvitz-Thompson estimator's under Poisson sampling, the sum of
/// (1 - p) / p^2 * value^2 over samples (Saerndal, Swensson and Wretman, "Model
/// Assisted Survey Sampling", 3.5). The trace has sums per site, so its blocks
/// are taken for equally large.
void estimateVariance(Counts &C, double Blocks, double Bytes, double Weight) {
  C.Estimated = true;
  if (!(Blocks > 0))
    return;
  C.AllocationsVariance = Blocks * Weight * std::max(Weight - 1, 0.0);
  const double Size = Bytes / Blocks;
  C.BytesVariance = C.AllocationsVariance * Size * Size;
}

uint64_t scaledBy(uint64_t Value, double Factor) {
  return rounded(static_cast<double>(Value) * Factor);
}

} // namespace

uint64_t Counts::allocationsWithin() const {
  return halfOf95(AllocationsVariance);
}

uint64_t Counts::bytesWithin() const { return halfOf95(BytesVariance); }

namespace {

/// Sums of a row since the last reset, before sampling is undone.
struct Since {
  trace::RowTotals Now;
  trace::RowTotals Before;   ///< at the reset, or where the part begins
  bool Reset = false;        ///< there is a Before, or Now is not the end
  bool SomeThreads = false;  ///< others may have allocated what these freed
  bool Inconsistent = false; ///< more was freed than there was

  Counts counts(const trace::FileHeader &H);

private:
  void balance(uint64_t Gained, uint64_t Moved, uint64_t Carried,
               uint64_t Frees, uint64_t &OutGained, uint64_t &OutCarried,
               uint64_t &OutFrees, uint64_t &OutLive);
};

/// Blocks (or bytes) that came, went elsewhere, were there and were freed, to
/// figures that add up.
void Since::balance(uint64_t Gained, uint64_t Moved, uint64_t Carried,
                    uint64_t Frees, uint64_t &OutGained, uint64_t &OutCarried,
                    uint64_t &OutFrees, uint64_t &OutLive) {
  // What moved away may have come before the reset.
  OutGained = minus(Gained, Moved);
  OutCarried = minus(Carried, minus(Moved, Gained));
  if (SomeThreads)
    OutCarried = std::max(OutCarried, minus(Frees, OutGained));
  const uint64_t Had = OutGained + OutCarried;
  Inconsistent |= Frees > Had || (Moved > Gained + Carried && !SomeThreads);
  OutFrees = std::min(Frees, Had);
  OutLive = Had - OutFrees;
}

Counts Since::counts(const trace::FileHeader &H) {
  Counts C;
  const auto Delta = [&](auto Member) {
    return minus(Now.*Member, Before.*Member);
  };
  using R = trace::RowTotals;
  uint64_t Allocations = Delta(&R::Allocations), Bytes = Delta(&R::Bytes);
  uint64_t Frees = Delta(&R::Frees), FreedBytes = Delta(&R::FreedBytes);
  uint64_t Moved = Delta(&R::MovedOut);
  uint64_t MovedBytes = Delta(&R::MovedOutBytes);
  uint64_t Carried =
      minus(minus(Before.Allocations, Before.MovedOut), Before.Frees);
  uint64_t CarriedBytes =
      minus(minus(Before.Bytes, Before.MovedOutBytes), Before.FreedBytes);
  C.Temporary = Delta(&R::Temporary);
  C.Reallocations = Delta(&R::Reallocations);
  if (H.Flags & trace::kFlagSampledBytes) {
    // Each sampled block stands for 1/P(sampled): sums are unbiased. A block
    // that moved has taken its weight along.
    const double Gained = Now.WeightedAllocations - Before.WeightedAllocations;
    const double GainedBytes = Now.WeightedBytes - Before.WeightedBytes;
    const uint64_t Blocks = minus(Allocations, Moved);
    const double Weight = Blocks > 0 ? Gained / static_cast<double>(Blocks) : 1;
    estimateVariance(C, static_cast<double>(Blocks),
                     static_cast<double>(minus(Bytes, MovedBytes)), Weight);
    Allocations = rounded(Gained);
    Bytes = rounded(GainedBytes);
    Frees = rounded(Now.WeightedFrees - Before.WeightedFrees);
    FreedBytes = rounded(Now.WeightedFreedBytes - Before.WeightedFreedBytes);
    // Rounded as a sum, so that frees of all there was are not more than that.
    Carried = minus(
        rounded(Gained + Before.WeightedAllocations - Before.WeightedFrees),
        Allocations);
    CarriedBytes = minus(
        rounded(GainedBytes + Before.WeightedBytes - Before.WeightedFreedBytes),
        Bytes);
    Moved = MovedBytes = 0;
    C.Temporary = scaledBy(C.Temporary, Weight);
    C.Reallocations = scaledBy(C.Reallocations, Weight);
  } else if ((H.Flags & trace::kFlagSampledEvery) && H.Every > 1) {
    estimateVariance(C, static_cast<double>(minus(Allocations, Moved)),
                     static_cast<double>(minus(Bytes, MovedBytes)),
                     static_cast<double>(H.Every));
    for (uint64_t *Value :
         {&Allocations, &Bytes, &Frees, &FreedBytes, &Moved, &MovedBytes,
          &Carried, &CarriedBytes, &C.Temporary, &C.Reallocations})
      *Value *= H.Every;
  }
  balance(Allocations, Moved, Carried, Frees, C.Allocations,
          C.CarriedAllocations, C.Frees, C.LiveAllocations);
  balance(Bytes, MovedBytes, CarriedBytes, FreedBytes, C.AllocatedBytes,
          C.CarriedBytes, C.FreedBytes, C.LiveBytes);
  C.Temporary = std::min(C.Temporary, C.Frees);
  C.Reallocations = std::min(C.Reallocations, C.Allocations);
  return C;
}

/// A lifetime while traces are added to it.
struct Gathering {
  Histogram Lives;
  uint64_t Timed = 0;
  double Sum = 0; ///< of lifetimes in the unit, over Weight frees
  double Weight = 0;
  std::optional<uint64_t> Min, Max;

  void add(const Gathering &Other) {
    Lives.add(Other.Lives);
    Timed += Other.Timed;
    Sum += Other.Sum;
    Weight += Other.Weight;
    if (Other.Min)
      Min = Min ? std::min(*Min, *Other.Min) : *Other.Min;
    if (Other.Max)
      Max = Max ? std::max(*Max, *Other.Max) : *Other.Max;
  }

  /// Leaves only the lives of a range.
  void keep(const ProfileOptions::Range &Of) {
    Lives = Lives.within(Of.From, Of.To);
    Timed = std::min(Timed, Lives.count());
    Min = Max = std::nullopt;
    Sum = Weight = 0;
    for (const Bucket &B : Lives.buckets()) {
      const auto Middle = static_cast<double>(std::midpoint(B.From, B.To));
      Sum += Middle * static_cast<double>(B.Count);
      Weight += static_cast<double>(B.Count);
    }
  }

  /// \param Sum what the histogram has to add up to
  Lifetime finish(const Counts &To) {
    Lifetime Out;
    Out.Count = To.Frees;
    Out.Timed = Timed;
    if (Lives.empty() || To.Frees == 0)
      return Out;
    // Sites that were never timed are taken to live as the others do.
    if (Lives.count() != To.Frees || Lives.bytes() != To.FreedBytes)
      Lives.scaleTo(To.Frees, To.FreedBytes);
    const uint64_t First = Lives.buckets().front().From;
    const uint64_t Last = Lives.buckets().back().To - 1;
    Out.Min = Min && *Min >= First && *Min <= Last ? *Min : First;
    Out.Max = Max && *Max <= Last && *Max >= *Out.Min ? *Max : Last;
    const auto Within = [&](uint64_t Value) {
      return std::clamp(Value, *Out.Min, *Out.Max);
    };
    Out.P50 = Within(Lives.quantile(0.5));
    Out.P90 = Within(Lives.quantile(0.9));
    Out.P99 = Within(Lives.quantile(0.99));
    Out.Mean = Within(Weight > 0 ? rounded(Sum / Weight) : *Out.P50);
    Out.Lives = std::move(Lives);
    return Out;
  }
};

uint64_t &byStorage(ObjectCounts &C, uint8_t Storage) {
  switch (Storage) {
  case INMEM_STORAGE_HEAP:
    return C.Heap;
  case INMEM_STORAGE_STACK:
    return C.Stack;
  case INMEM_STORAGE_STATIC:
    return C.Static;
  case INMEM_STORAGE_THREAD:
    return C.Thread;
  case INMEM_STORAGE_MEMBER:
    return C.Member;
  case INMEM_STORAGE_PLACED:
    return C.Placed;
  default:
    return C.Unknown;
  }
}

constexpr uint8_t kStorages[] = {INMEM_STORAGE_UNKNOWN, INMEM_STORAGE_HEAP,
                                 INMEM_STORAGE_STACK,   INMEM_STORAGE_STATIC,
                                 INMEM_STORAGE_THREAD,  INMEM_STORAGE_MEMBER,
                                 INMEM_STORAGE_PLACED};

uint64_t &byManner(ObjectCounts &C, uint8_t Manner) {
  switch (Manner) {
  case INMEM_MANNER_DEFAULT:
    return C.Defaulted;
  case INMEM_MANNER_COPY:
    return C.Copied;
  case INMEM_MANNER_MOVE:
    return C.Moved;
  case INMEM_MANNER_CONVERT:
    return C.Converted;
  case INMEM_MANNER_AGGREGATE:
    return C.Aggregate;
  default:
    return C.Other;
  }
}

/// The rows of a snapshot, by site and type.
class Moment {
public:
  Moment(const Trace &T, const trace::Snapshot *At) : T(T), At(At) {
    for (uint32_t I = 0; At && I < At->Header.Rows; ++I) {
      const trace::Row R = T.snapshotRow(*At, I);
      const uint32_t Type = R.Type != 0 ? R.Type : T.site(R.Site).Type;
      Base &B = Rows[uint64_t{R.Site} << 32 | Type];
      B.Totals.add(R);
      B.Row = I;
    }
  }
  explicit operator bool() const { return At != nullptr; }
  /// Null: nothing was counted yet.
  const trace::RowTotals *totals(const trace::Entry &E) const {
    const auto Found = Rows.find(key(E));
    return Found == Rows.end() ? nullptr : &Found->second.Totals;
  }
  trace::Buckets buckets(const trace::Entry &E) const {
    trace::Buckets Out;
    if (const auto Found = Rows.find(key(E)); Found != Rows.end())
      T.snapshotRow(*At, Found->second.Row, &Out);
    return Out;
  }

private:
  struct Base {
    trace::RowTotals Totals;
    uint32_t Row;
  };
  static uint64_t key(const trace::Entry &E) {
    return uint64_t{E.Site} << 32 | E.Type;
  }
  const Trace &T;
  const trace::Snapshot *At;
  std::unordered_map<uint64_t, Base> Rows;
};

/// Rows over a part of the run.
class PartRows {
public:
  PartRows(const Trace &T, const Interval &Part)
      : T(T), From(T, Part.From), To(T, Part.To) {}
  Since since(const trace::Entry &E) const {
    Since Sums;
    if (const trace::RowTotals *Before = From.totals(E))
      Sums.Before = *Before;
    Sums.Now = To ? trace::RowTotals() : E.Totals;
    if (const trace::RowTotals *AtEnd = To.totals(E))
      Sums.Now = *AtEnd;
    Sums.Reset = From || To;
    return Sums;
  }
  /// Lifetimes up to where the part begins, or nothing.
  std::optional<trace::Buckets> before(const trace::Entry &E) const {
    return From.totals(E) ? std::optional(From.buckets(E)) : std::nullopt;
  }
  trace::Buckets atEnd(const trace::Entry &E) const {
    return To ? To.buckets(E) : T.buckets(E);
  }

private:
  const Trace &T;
  const Moment From, To;
};

/// Figures of a row at a mark.
trace::RowTotals totalsOf(const trace::MarkRow &M) {
  trace::Row R{};
  R.Allocations = M.Allocations;
  R.Bytes = M.Bytes;
  R.Frees = M.Frees;
  R.FreedBytes = M.FreedBytes;
  R.Temporary = M.Temporary;
  R.Reallocations = M.Reallocations;
  R.MovedOut = M.MovedOut;
  R.MovedOutBytes = M.MovedOutBytes;
  R.WeightedAllocations = M.WeightedAllocations;
  R.WeightedBytes = M.WeightedBytes;
  R.WeightedFrees = M.WeightedFrees;
  R.WeightedFreedBytes = M.WeightedFreedBytes;
  trace::RowTotals Out;
  Out.add(R);
  return Out;
}

/// What single threads had counted where a part of the run begins and where it
/// ends; nothing if the trace does not say.
class ThreadRows {
public:
  ThreadRows(const Trace &T, const Interval &Part) : T(T) {
    From.emplace();
    if (Part.From)
      From = T.rowsAt(*Part.From);
    To = Part.To ? T.rowsAt(*Part.To) : std::optional(T.rowsNow());
    Known = From && To;
  }
  bool known() const { return Known; }
  /// Sums over the rows that are wanted, before and at the end, by the key that
  /// KeyOf makes of a row.
  template <class KeyOf, class Wanted> auto sums(KeyOf Key, Wanted Want) const {
    using Sums = std::pair<trace::RowTotals, trace::RowTotals>;
    std::map<decltype(Key(trace::MarkRow{})), Sums> Out;
    for (const trace::MarkRow &M : *From)
      if (T.site(M.Site).ofBlocks() && Want(M))
        Out[Key(M)].first.add(totalsOf(M));
    for (const trace::MarkRow &M : *To)
      if (T.site(M.Site).ofBlocks() && Want(M))
        Out[Key(M)].second.add(totalsOf(M));
    return Out;
  }
  /// The key of an entry.
  uint64_t entryOf(const trace::MarkRow &M) const {
    const uint32_t Type = M.Type != 0 ? M.Type : T.site(M.Site).Type;
    return uint64_t{M.Site} << 32 | Type;
  }

private:
  const Trace &T;
  std::optional<std::vector<trace::MarkRow>> From, To;
  bool Known = false;
};

class Builder {
public:
  explicit Builder(const ProfileOptions &With)
      : Options(With),
        Calls(Out.Calls, With.Resolver,
              [this](std::string_view Linkage) { return plain(Linkage); }) {}

  trace::Result<Profile> run(std::span<const Trace> Traces);

private:
  trace::Status choosePart(const Trace &T);
  bool wantedThread(const Trace &T, uint32_t Index) const;
  trace::RowTotals totalsOfThreads(const Trace &T, const trace::Entry &E,
                                   trace::Buckets &Raw) const;
  void addTimeline(const Trace &T);
  void addProcess(const Trace &T);
  void addEntries(const Trace &T);
  size_t assumedType(const SiteResult &Site);
  size_t typeNamed(const std::string &Name, uint64_t Size);
  bool examine(const Trace &T, const trace::Entry &E, const SiteResult &Site,
               const Counts &C);
  void addFrees(const Trace &T);
  void addThreads(const Trace &T);
  void addObjects(const Trace &T);
  void addLives(const Trace &T);
  void addObjectsThatLived(const Trace &T);
  ObjectCounts *objectsOf(std::string_view ClassName, size_t &Class);
  void addPeaks(const Trace &T);
  void note(const Trace &T, std::string Text);
  void writeNotes();
  size_t typeOf(const Trace &T, uint32_t Index);
  size_t classOf(const Trace &T, const trace::Object &O);
  bool wanted(const TypeResult &Type) const;
  bool wanted(const TypeResult &Type, const SiteResult &Site) const;
  SiteResult describe(const Trace &T, const trace::Entry &E, size_t Type);
  SiteResult describeCaller(const Trace &T, const trace::Site &S, size_t Type);
  size_t siteOf(SiteResult Site);
  const std::string &plain(std::string_view Linkage);
  Gathering lifetime(const Trace &T, const Since &Sums, trace::Buckets Raw,
                     const trace::Buckets *Before, const Counts &C,
                     const Grid &Of);
  void finish();
  void finishTyping();
  void nameAlias(TypeResult &Type);

  const ProfileOptions &Options;
  Profile Out;
  Interval Shown; ///< of the trace that is being added
  std::vector<Gathering> SiteLives, TypeLives;
  /// The same in allocations.
  std::map<size_t, Gathering> SiteAllocationLives, TypeAllocationLives;
  std::vector<bool> ElementsKnown;
  /// Types that a site was moved to or from: what the runtime says of their
  /// peak is not about what is shown.
  std::unordered_set<size_t> Moved;
  std::map<uint32_t, Counts> Rules; ///< by enum inmem_type_rule
  /// By class: lives of objects, and how many they are.
  std::map<size_t, std::pair<Gathering, Counts>> ObjectLives;
  /// Out.Sites by the trace's site ids.
  std::unordered_map<uint32_t, size_t> SiteOfId;
  /// Frees that are shown, and those that were recorded, by the same.
  std::map<uint32_t, std::pair<Counts, Counts>> FreesOfId;
  std::unordered_map<std::string, size_t> TypeIndex, SiteIndex;
  std::unordered_map<std::string, size_t> Named; ///< made by typeNamed()
  std::unordered_map<std::string, std::string> Demangled;
  std::unordered_map<std::string, std::string> SiteAliases; ///< by chain
  StackBuilder Calls;
  bool PeakKnown = true;
  std::vector<std::pair<std::string, std::vector<const Trace *>>> Notes;
  size_t MoreNotes = 0;
};

/// Where the figures of this trace begin and end.
trace::Status Builder::choosePart(const Trace &T) {
  Shown = {T.lastReset(), nullptr};
  if (Options.Between)
    Shown = *Options.Between;
  if (!Options.Phase.empty()) {
    const auto Found = findInterval(T, Options.Phase);
    if (!Found)
      return Found.status();
    Shown = *Found;
  }
  if (Options.inPhase() && !Options.ThreadGlobs.empty() &&
      !ThreadRows(T, Shown).known())
    return trace::Status::error(
        T.fileName(), "--phase with --thread: its snapshots do not say what "
                      "single threads did (an older inmem wrote it, or there "
                      "was no room)");
  return {};
}

bool Builder::wantedThread(const Trace &T, uint32_t Index) const {
  const auto Known = T.Threads.find(Index);
  return std::any_of(Options.ThreadGlobs.begin(), Options.ThreadGlobs.end(),
                     [&](const std::string &Glob) {
                       return matchesThread(
                           Glob, Index,
                           Known == T.Threads.end() ? nullptr : &Known->second);
                     });
}

trace::RowTotals Builder::totalsOfThreads(const Trace &T, const trace::Entry &E,
                                          trace::Buckets &Raw) const {
  trace::RowTotals Sum;
  for (uint32_t I = E.FirstRow; I != trace::RowRef::kNone; I = T.Rows[I].Next) {
    const trace::RowRef &Ref = T.Rows[I];
    if (!wantedThread(T, Ref.Thread))
      continue;
    Sum.add(T.row(Ref));
    T.addBuckets(Ref, Raw);
  }
  return Sum;
}

/// Live bytes of each type at each snapshot. After addEntries.
void Builder::addTimeline(const Trace &T) {
  const auto AddLive = [&](size_t At, const trace::Entry &E,
                           const trace::RowTotals &Totals) {
    const auto Site = SiteOfId.find(E.Site);
    if (Site == SiteOfId.end() || !T.site(E.Site).ofBlocks())
      return;
    Since Sums;
    Sums.Now = Totals;
    std::vector<uint64_t> &Live =
        Out.Types[Out.Sites[Site->second].Type].LiveBytesAt;
    Live.resize(At + 1);
    Live[At] += Sums.counts(T.Header).LiveBytes;
  };
  Out.Timeline.push_back({0, "start", ""});
  const std::vector<Mark> Marks = marksOf(T);
  for (const trace::Snapshot &S : T.Snapshots) {
    const size_t At = Out.Timeline.size();
    const auto Known = std::find_if(Marks.begin(), Marks.end(),
                                    [&](const Mark &M) { return M.At == &S; });
    Out.Timeline.push_back(
        {nanosecondsAt(T, S),
         std::string(trace::nameOf(trace::kSnapshotNames,
                                   static_cast<uint64_t>(S.Header.Kind))),
         Known == Marks.end() ? std::string() : std::string(Known->Name)});
    for (uint32_t I = 0; I < S.Header.Rows; ++I) {
      const trace::Row R = T.snapshotRow(S, I);
      trace::RowTotals Totals;
      Totals.add(R);
      AddLive(At, {R.Site, R.Type, 0, {}}, Totals);
    }
  }
  // What lies behind the last snapshot and takes no time says nothing new.
  const uint64_t Ran = durationOf(T.Header);
  if (Ran <= Out.Timeline.back().Ns)
    return;
  const size_t At = Out.Timeline.size();
  Out.Timeline.push_back({Ran, "end", ""});
  for (const trace::Entry &E : T.Entries)
    AddLive(At, E, E.Totals);
}

const std::string &Builder::plain(std::string_view Linkage) {
  const auto [Where, New] = Demangled.try_emplace(std::string(Linkage));
  if (New)
    Where->second = demangle(Linkage);
  return Where->second;
}

bool Builder::wanted(const TypeResult &Type) const {
  return Options.TypeGlobs.empty() ||
         std::any_of(
             Options.TypeGlobs.begin(), Options.TypeGlobs.end(),
             [&](const std::string &G) { return matchesType(G, Type); });
}

/// Blocks without a readable name of their type's have their site's, as in
/// nameAlias(): `std::string buffer` for `char`.
bool Builder::wanted(const TypeResult &Type, const SiteResult &Site) const {
  const auto Any = [](const std::vector<std::string> &Globs, auto Matches) {
    return std::any_of(Globs.begin(), Globs.end(), Matches);
  };
  const bool ByAlias = Type.Name && Type.Alias.empty() && !Site.Alias.empty() &&
                       Any(Options.TypeGlobs, [&](const std::string &G) {
                         return matchesGlob(G, Site.Alias);
                       });
  return (ByAlias || wanted(Type)) &&
         (Options.SiteGlobs.empty() ||
          Any(Options.SiteGlobs,
              [&](const std::string &G) { return matchesSite(G, Site); }));
}

/// The row of a type: the same name and id in any process.
size_t Builder::typeOf(const Trace &T, uint32_t Index) {
  const trace::Type &Type = T.type(Index);
  const bool Known = Type.Index != 0 && !Type.Name.empty();
  const std::string Key =
      Known ? std::to_string(Type.Id) + ' ' + std::string(Type.Name)
            : std::string();
  const auto [Where, New] = TypeIndex.try_emplace(Key, Out.Types.size());
  if (const auto It = New ? Named.find(std::string(Type.Name)) : Named.end();
      It != Named.end()) {
    // Its record turns up after all.
    Where->second = It->second;
    TypeResult &R = Out.Types[It->second];
    R.Id = Type.Id;
    if (Type.Size > 0)
      R.Size = Type.Size;
    if (Type.Align > 0)
      R.Align = Type.Align;
    Named.erase(It);
  } else if (New) {
    TypeResult R;
    if (Known) {
      R.Name = std::string(Type.Name);
      R.Alias = aliasOf(Type.Name);
      R.Id = Type.Id;
      if (Type.Size > 0)
        R.Size = Type.Size;
      if (Type.Align > 0)
        R.Align = Type.Align;
    }
    Out.Types.push_back(std::move(R));
    TypeLives.emplace_back();
    ElementsKnown.push_back(Known);
  }
  return Where->second;
}

/// The row of a class whose objects are counted.
size_t Builder::classOf(const Trace &T, const trace::Object &O) {
  if (O.Type != 0 && T.type(O.Type).Index != 0)
    return typeOf(T, O.Type);
  for (size_t I = 0; I < Out.Types.size(); ++I)
    if (Out.Types[I].Name && *Out.Types[I].Name == O.ClassName)
      return I;
  const auto [Where, New] = TypeIndex.try_emplace(
      "class " + std::string(O.ClassName), Out.Types.size());
  if (New) {
    TypeResult R;
    R.Name = std::string(O.ClassName);
    R.Alias = aliasOf(O.ClassName);
    Out.Types.push_back(std::move(R));
    TypeLives.emplace_back();
    ElementsKnown.push_back(true);
  }
  return Where->second;
}

SiteResult Builder::describeCaller(const Trace &T, const trace::Site &S,
                                   size_t Type) {
  SiteResult R;
  R.Type = Type;
  const trace::Module &M = T.module(S.Module);
  R.Module = std::string(M.Path);
  Place P;
  P.Function = plain(S.Function);
  P.File = std::string(S.File);
  P.Line = S.Line;
  // With stacks the trace may have the caller's source itself.
  if (const trace::Address &A = T.address(T.stack(S.Stack).Address);
      P.Function.empty() && !A.Source.empty()) {
    P.Function = plain(A.Source.back().Function);
    P.File = std::string(A.Source.front().File);
    P.Line = A.Source.front().Line;
  }
  if (P.Function.empty() && Options.Resolver && !M.Path.empty())
    if (auto Found = Options.Resolver->resolve(M.Path, M.BuildId, M.Base,
                                               minus(S.ModuleOffset, 1))) {
      P = std::move(*Found);
      P.Function = plain(P.Function);
    }
  if (P.Function.empty())
    P.Function = plain(T.address(T.stack(S.Stack).Address).Function);
  if (P.Function.empty()) {
    char Offset[32];
    std::snprintf(Offset, sizeof Offset, "+0x%llx",
                  static_cast<unsigned long long>(S.ModuleOffset));
    const size_t Slash = M.Path.rfind('/');
    P.Function = std::string(M.Path.empty() ? "?"
                             : Slash == std::string_view::npos
                                 ? M.Path
                                 : M.Path.substr(Slash + 1)) +
                 Offset;
  }
  R.Where = P;
  R.Chain.push_back(std::move(P));
  return R;
}

SiteResult Builder::describe(const Trace &T, const trace::Entry &E,
                             size_t Type) {
  const trace::Site &S = T.site(E.Site);
  SiteResult R;
  if (S.Kind == INMEM_SITE_CALLER) {
    R = describeCaller(T, S, Type);
  } else {
    R.Type = Type;
    R.Chain.push_back(
        {plain(S.Function), std::string(S.File), S.Line, S.Column});
    for (const trace::Frame &F : T.frames(S))
      R.Chain.push_back(
          {plain(F.Function), std::string(F.File), F.Line, F.Column});
    const auto Interesting = [](const Place &P) {
      return !P.File.empty() && !isSystemPath(P.File);
    };
    const auto First =
        std::find_if(R.Chain.begin(), R.Chain.end(), Interesting);
    R.Where = First != R.Chain.end() ? *First : R.Chain.back();
  }
  R.Kind = std::string(trace::nameOf(trace::kSiteKindNames, S.Kind));
  R.Key = S.Key;
  std::vector<std::string_view> Functions;
  std::string Key;
  for (const Place &P : R.Chain) {
    Functions.push_back(P.Function);
    (Key += P.Function) += '\n';
  }
  // Many traces of a program have the same sites.
  const auto [Alias, New] = SiteAliases.try_emplace(std::move(Key));
  if (New)
    Alias->second = aliasOfSite(Functions);
  R.Alias = Alias->second;
  return R;
}

/// The row of a site: sites that show the same place are one.
size_t Builder::siteOf(SiteResult Site) {
  std::string Key = std::to_string(Site.Type) + '\n' + Site.Kind + '\n' +
                    Site.Module + '\n' + Site.Where.Function;
  const bool Caller =
      Site.Kind == trace::nameOf(trace::kSiteKindNames, INMEM_SITE_CALLER);
  if (!Caller) // Callers are told apart by symbol only.
    Key += '\n' + Site.Where.File + '\n' + std::to_string(Site.Where.Line) +
           '\n' + std::to_string(Site.Where.Column);
  const auto [Where, New] = SiteIndex.try_emplace(Key, Out.Sites.size());
  if (New) {
    Out.Sites.push_back(std::move(Site));
    SiteLives.emplace_back();
    return Where->second;
  }
  SiteResult &Known = Out.Sites[Where->second];
  if (Known.Where != Site.Where) {
    Known.Where.Line = 0;
    Known.Where.Column = 0;
    Known.Chain = {Known.Where};
  }
  // Keep what the two chains have in common.
  const auto [A, B] = std::mismatch(Known.Chain.begin(), Known.Chain.end(),
                                    Site.Chain.begin(), Site.Chain.end());
  (void)B;
  if (A != Known.Chain.begin())
    Known.Chain.erase(A, Known.Chain.end());
  if (Known.Alias != Site.Alias)
    Known.Alias.clear();
  return Where->second;
}

Gathering Builder::lifetime(const Trace &T, const Since &Sums,
                            trace::Buckets Raw, const trace::Buckets *Before,
                            const Counts &C, const Grid &Of) {
  Gathering Life;
  const trace::RowTotals &Now = Sums.Now;
  Life.Timed = std::min(minus(Now.Timed, Sums.Before.Timed), C.Frees);
  if (C.Frees == 0)
    return Life;
  if (Before)
    for (size_t I = 0; I < Raw.Cells.size(); ++I) {
      Raw.Cells[I].Count = minus(Raw.Cells[I].Count, Before->Cells[I].Count);
      Raw.Cells[I].Bytes = minus(Raw.Cells[I].Bytes, Before->Cells[I].Bytes);
    }
  Life.Lives = Histogram::scaled(Raw, Of, C.Frees, C.FreedBytes);
  const uint64_t Weighted = minus(Now.WeightedTimed, Sums.Before.WeightedTimed);
  if (Weighted > 0) {
    // What the shift cut off is half a tick on average.
    const double Ticks =
        static_cast<double>(minus(Now.SumTicks, Sums.Before.SumTicks)) /
            static_cast<double>(Weighted) +
        (T.Header.TickShift > 0 ? 0.5 : 0);
    // One tick in the unit, exactly enough for a mean.
    constexpr uint64_t kMany = uint64_t{1} << 40;
    const double PerTick =
        static_cast<double>(Of.fromTicks(kMany)) / static_cast<double>(kMany);
    Life.Weight = static_cast<double>(C.Frees);
    Life.Sum = Ticks * PerTick * Life.Weight;
  }
  if (Now.Timed > 0 && !Sums.Reset) { // Extremes cannot be subtracted.
    Life.Min = Of.fromTicks(Now.MinTicks);
    Life.Max = Of.fromTicks(Now.MaxTicks);
  }
  return Life;
}

/// The type that the user named for a site without instrumentation, or the
/// row that it has.
size_t Builder::assumedType(const SiteResult &Site) {
  if (Site.Module.empty())
    return Site.Type;
  const std::string_view File = fileName(Site.Module);
  if (const auto Known = typeInLibrary(File, Site.Where.Function))
    return typeNamed(std::string(Known->Name), Known->Size);
  for (const Assumption &A : Options.Assumptions) {
    const std::string &Function = Site.Where.Function;
    if ((!matchesGlob(A.Module, File) && !matchesGlob(A.Module + ".*", File)) ||
        (!matchesGlob(A.Function, Function) &&
         !matchesGlob(A.Function, Function.substr(0, Function.find('(')))))
      continue;
    return typeNamed(A.Type, 0);
  }
  return Site.Type;
}

/// The row of a type that no record of the trace describes, or the one that
/// has the same name. \p Size 0: unknown.
size_t Builder::typeNamed(const std::string &Name, uint64_t Size) {
  for (size_t I = 0; I < Out.Types.size(); ++I)
    if (Out.Types[I].Name == Name)
      return I;
  TypeResult R;
  R.Name = Name;
  R.Alias = aliasOf(Name);
  if (Size > 0)
    R.Size = R.Align = Size;
  Out.Types.push_back(std::move(R));
  TypeLives.emplace_back();
  ElementsKnown.push_back(true);
  return Named[Name] = Out.Types.size() - 1;
}

/// Counts how the type was found, and in what doubt it is.
/// \returns false if blocks of the site are too small for its type.
bool Builder::examine(const Trace &T, const trace::Entry &E,
                      const SiteResult &Site, const Counts &C) {
  const trace::Site &S = T.site(E.Site);
  // A caller has no rule of its own, whatever the block was before.
  Counts &Sum = Rules[S.Kind == INMEM_SITE_CALLER ? kCallerRule
                      : E.Type == 0               ? uint32_t{INMEM_RULE_NONE}
                                                  : S.Rule];
  Sum.add(C);
  const auto Doubt = [&](DoubtResult::Kind What) {
    const trace::Type &Type = T.type(E.Type);
    DoubtResult D{What, Site, std::string(Type.Name), Type.Size};
    D.Site.Sum = C;
    Out.Doubts.push_back(std::move(D));
  };
  if (S.Flags & INMEM_SITE_DISAGREE)
    Doubt(DoubtResult::Kind::Disagree);
  if (S.Flags & INMEM_SITE_TOO_SMALL)
    Doubt(DoubtResult::Kind::TooSmall);
  const trace::Type &Type = T.type(E.Type);
  const bool Concluded =
      S.Rule >= INMEM_RULE_SIZEOF && S.Rule <= INMEM_RULE_VARIABLE;
  if (E.Type == 0 || !Concluded || Type.Size < 2)
    return true;
  // A struct may end in an array of any length.
  const std::vector<trace::Field> Fields = T.fields(Type);
  const auto Last = std::max_element(
      Fields.begin(), Fields.end(),
      [](const auto &A, const auto &B) { return A.Offset < B.Offset; });
  const bool Open = Last != Fields.end() && Last->Kind == INMEM_FIELD_ARRAY;
  const uint64_t Least = Open ? Last->Offset : Type.Size;
  if (Least > 0 && E.Totals.Bytes / Least < E.Totals.Allocations) {
    Doubt(DoubtResult::Kind::TooSmall);
    Out.Doubts.back().Type.clear();
    return false;
  }
  if (!Open && !(S.Flags & INMEM_SITE_EXTRA) && E.Totals.Bytes % Type.Size != 0)
    Doubt(DoubtResult::Kind::Remainder);
  return true;
}

void Builder::addEntries(const Trace &T) {
  const Grid Of(T.Header);
  const PartRows Rows(T, Shown);
  // Of the wanted threads, in a part of the run.
  std::map<uint64_t, std::pair<trace::RowTotals, trace::RowTotals>> OfThreads;
  if (Options.inPhase() && !Options.ThreadGlobs.empty()) {
    const ThreadRows Marked(T, Shown);
    OfThreads = Marked.sums(
        [&](const trace::MarkRow &M) { return Marked.entryOf(M); },
        [&](const trace::MarkRow &M) { return wantedThread(T, M.Thread); });
  }
  uint64_t Inconsistent = 0;
  SiteOfId.clear();
  FreesOfId.clear();
  const bool HasStacks =
      std::any_of(T.Sites.begin(), T.Sites.end(),
                  [](const trace::Site &S) { return S.Stack != 0; });
  for (const trace::Entry &E : T.Entries) {
    if (!T.site(E.Site).ofBlocks())
      continue;
    Since Sums = Rows.since(E);
    Counts C = Sums.counts(T.Header);
    Inconsistent += Sums.Inconsistent;
    if (C.Allocations == 0 && C.CarriedAllocations == 0)
      continue;
    Out.Totals.add(C);
    size_t Type = typeOf(T, E.Type);
    SiteResult Described = describe(T, E, Type);
    const size_t Better = !examine(T, E, Described, C) ? typeOf(T, 0)
                          : E.Type == 0                ? assumedType(Described)
                                                       : Type;
    if (Better != Type) {
      Moved.insert({Type, Better});
      Described.Type = Type = Better;
    }
    TypeResult &TypeRow = Out.Types[Type];
    if (!wanted(TypeRow, Described))
      continue;
    trace::Buckets Raw;
    if (!Options.ThreadGlobs.empty()) {
      Sums = {};
      Sums.SomeThreads = true;
      if (Options.inPhase())
        std::tie(Sums.Before, Sums.Now) =
            OfThreads[uint64_t{E.Site} << 32 | E.Type];
      else
        Sums.Now = totalsOfThreads(T, E, Raw);
      C = Sums.counts(T.Header);
    } else {
      Raw = Rows.atEnd(E);
    }
    const auto Earlier = Sums.SomeThreads ? std::nullopt : Rows.before(E);
    Gathering Life =
        lifetime(T, Sums, Raw, Earlier ? &*Earlier : nullptr, C, Of);
    if (Options.Lived) {
      Life.keep(*Options.Lived);
      const Counts All = std::exchange(C, {});
      C.Allocations = C.Frees = Life.Lives.count();
      C.AllocatedBytes = C.FreedBytes = Life.Lives.bytes();
      C.Estimated = All.Estimated;
      const auto Part =
          static_cast<double>(C.Allocations) /
          static_cast<double>(std::max<uint64_t>(All.Allocations, 1));
      C.AllocationsVariance = All.AllocationsVariance * Part;
      C.BytesVariance = All.BytesVariance * Part;
    }
    if (C.Allocations == 0 && C.CarriedAllocations == 0)
      continue;
    const std::vector<Place> Chain = Described.Chain;
    const size_t Site = siteOf(std::move(Described));
    SiteOfId[E.Site] = Site;
    Out.Sites[Site].Sum.add(C);
    TypeRow.Sum.add(C);
    // Elements: objects in the blocks of this site.
    const trace::Site &S = T.site(E.Site);
    const bool Single = S.Kind == INMEM_SITE_NEW ||
                        S.Kind == INMEM_SITE_COROUTINE ||
                        S.Kind == INMEM_SITE_EXCEPTION;
    if (Single)
      TypeRow.Elements = TypeRow.Elements.value_or(0) + C.Allocations;
    else if (TypeRow.Size)
      TypeRow.Elements =
          TypeRow.Elements.value_or(0) +
          minus(C.AllocatedBytes, C.Allocations * S.ArrayCookie) /
              *TypeRow.Size;
    else
      ElementsKnown[Type] = false;
    FreesOfId[E.Site].first.add(C);
    if (HasStacks) {
      Gathering Own = Life;
      Calls.add(T, T.site(E.Site), Chain,
                {{},
                 Type,
                 C,
                 Life.Sum,
                 Life.Weight,
                 Own.finish(C).P50,
                 T.atPeak(E.Site)});
    }
    SiteLives[Site].add(Life);
    TypeLives[Type].add(Life);
    if (Sums.Reset || Sums.SomeThreads || Options.Lived ||
        E.FirstAllocationLives == trace::RowRef::kNone)
      continue;
    trace::Buckets InAllocations;
    Since Whole;
    Whole.Now = T.allocationLives(E, InAllocations);
    Life = lifetime(T, Whole, InAllocations, nullptr, C, Of);
    SiteAllocationLives[Site].add(Life);
    TypeAllocationLives[Type].add(Life);
  }
  if (Inconsistent > 0 && T.Header.State != trace::RunState::Running)
    note(T, std::to_string(Inconsistent) +
                " sites say that more was freed than allocated; they are cut "
                "to fit "
                "(see --diagnostics)");
}

/// After addEntries.
void Builder::addFrees(const Trace &T) {
  if (T.Frees.empty() || Options.Lived)
    return;
  // Rows of single threads are of the whole run, unless a part was asked for.
  const bool Some = !Options.ThreadGlobs.empty();
  const bool Whole = Some && !Options.inPhase();
  const uint64_t From = !Whole && Shown.From ? Shown.From->Sequence : 0;
  const uint64_t To = !Whole && Shown.To ? Shown.To->Sequence : ~uint64_t{0};
  const auto Name = [&](uint32_t Index) {
    ThreadName N{T.Header.Pid, Index, 0, {}};
    if (const auto At = T.Threads.find(Index); At != T.Threads.end()) {
      N.Tid = At->second.Tid;
      N.Name = std::string(At->second.Name);
    }
    return N;
  };
  const auto Add = [&](uint32_t SiteId, uint32_t Stack, ThreadName By,
                       ThreadName Of, uint64_t Frees, uint64_t Bytes) {
    const size_t Site = SiteOfId.at(SiteId);
    FreeResult R;
    R.Type = Out.Sites[Site].Type;
    R.Site = Site;
    if (T.site(SiteId).Stack != 0)
      R.Allocating = Calls.framesOf(T, T.site(SiteId), Out.Sites[Site].Chain);
    if (Stack != 0)
      R.Freeing = Calls.framesOf(T, Stack);
    R.AllocatedIn = std::move(Of);
    R.FreedIn = std::move(By);
    R.Frees = Frees;
    R.FreedBytes = Bytes;
    Out.Frees.push_back(std::move(R));
  };
  const auto Wanted = [&](const trace::Freed &F) {
    return SiteOfId.contains(F.Cell.Site) && F.Cell.Since >= From &&
           F.Cell.Since < To && F.Cell.Frees > 0 &&
           (!Some || wantedThread(T, F.Thread));
  };
  for (const trace::Freed &F : T.Frees)
    if (Wanted(F)) {
      FreesOfId[F.Cell.Site].second.Frees += F.Cell.Frees;
      FreesOfId[F.Cell.Site].second.FreedBytes += F.Cell.Bytes;
    }
  // Sampled blocks stand for others.
  const auto Scaled = [](uint64_t Value, uint64_t All, uint64_t Of) {
    return All == Of || Of == 0
               ? Value
               : rounded(static_cast<double>(Value) * static_cast<double>(All) /
                         static_cast<double>(Of));
  };
  const bool Sampled =
      T.Header.Flags & (trace::kFlagSampledBytes | trace::kFlagSampledEvery);
  for (const trace::Freed &F : T.Frees) {
    if (!Wanted(F))
      continue;
    uint64_t Frees = F.Cell.Frees, Bytes = F.Cell.Bytes;
    if (Sampled) {
      const auto &[All, Of] = FreesOfId[F.Cell.Site];
      Frees = Scaled(Frees, All.Frees, Of.Frees);
      Bytes = Scaled(Bytes, All.FreedBytes, Of.FreedBytes);
    }
    Add(F.Cell.Site, F.Cell.Stack, Name(F.Thread), Name(F.Cell.Thread), Frees,
        Bytes);
  }
  // What there was no room for.
  for (const auto &[Site, Counted] : FreesOfId)
    if (const auto &[All, Of] = Counted; !Sampled && All.Frees > Of.Frees)
      Add(Site, 0, Name(0), Name(0), All.Frees - Of.Frees,
          minus(All.FreedBytes, Of.FreedBytes));
}

void Builder::addPeaks(const Trace &T) {
  // What is sampled says little about how high memory went.
  const bool Known =
      !T.Live.empty() &&
      !(T.Header.Flags & (trace::kFlagSampledBytes | trace::kFlagSampledEvery));
  const auto Positive = [](int64_t Value) {
    return Value > 0 ? static_cast<uint64_t>(Value) : 0;
  };
  const bool Whole = Known || T.Header.PeakLiveBytes > 0;
  auto Peaks = T.peaksBetween(Shown.From, Shown.To);
  // An older trace says of a reset only what was highest before and after.
  if (!Peaks && !Options.inPhase())
    Peaks = T.peaksBetween(nullptr, nullptr);
  PeakKnown &=
      Whole && Peaks &&
      !(T.Header.Flags & (trace::kFlagSampledBytes | trace::kFlagSampledEvery));
  if (PeakKnown)
    Out.PeakLiveBytes =
        Out.PeakLiveBytes.value_or(0) + Positive(Peaks->Process);
  if (!Known || !Peaks || !Options.SiteGlobs.empty())
    return;
  // Several indexes may be one type, and some have no row of their own.
  std::vector<bool> Has(Out.Types.size());
  for (const trace::Entry &E : T.Entries) {
    if (!T.site(E.Site).ofBlocks())
      continue;
    const size_t Type = typeOf(T, E.Type);
    if (Type >= Has.size())
      continue;
    const Counts &Sum = Out.Types[Type].Sum;
    Has[Type] = Sum.Allocations + Sum.CarriedAllocations > 0;
  }
  for (uint32_t I = 0; I < T.Live.size(); ++I) {
    if (I != 0 && T.type(I).Index == 0)
      continue; // Room for types to come.
    if (T.type(I).Flags & INMEM_TYPE_OBJECT)
      continue;
    const size_t Type = typeOf(T, I);
    if (Type < Has.size() && Has[Type] && !Moved.contains(Type))
      Out.Types[Type].PeakLiveBytes =
          Out.Types[Type].PeakLiveBytes.value_or(0) + Positive(Peaks->Types[I]);
  }
}

void Builder::addThreads(const Trace &T) {
  if (Options.Lived)
    return; // Known of all blocks only.
  std::map<uint32_t, std::pair<trace::RowTotals, trace::RowTotals>> InPart;
  if (Options.inPhase()) {
    const ThreadRows Rows(T, Shown);
    if (!Rows.known())
      return;
    InPart = Rows.sums([](const trace::MarkRow &M) { return M.Thread; },
                       [](const trace::MarkRow &M) { return M.Thread != 0; });
  }
  const uint64_t Factor = (T.Header.Flags & trace::kFlagSampledEvery)
                              ? std::max<uint64_t>(T.Header.Every, 1)
                              : 1;
  for (const auto &[Index, Thread] : T.Threads) {
    trace::RowTotals Sum = Thread.Totals;
    if (Options.inPhase()) {
      Sum = InPart[Index].second;
      Sum.subtract(InPart[Index].first);
    }
    if (Sum.Allocations == 0 && Sum.Frees == 0)
      continue;
    if (!Options.ThreadGlobs.empty() && !wantedThread(T, Index))
      continue;
    ThreadResult R;
    R.Pid = T.Header.Pid;
    R.Index = Index;
    R.Tid = Thread.Tid;
    R.Name = std::string(Thread.Name);
    const bool Weighted = T.Header.Flags & trace::kFlagSampledBytes;
    R.Allocations = Weighted ? rounded(Sum.WeightedAllocations)
                             : minus(Sum.Allocations, Sum.MovedOut) * Factor;
    R.AllocatedBytes = Weighted ? rounded(Sum.WeightedBytes)
                                : minus(Sum.Bytes, Sum.MovedOutBytes) * Factor;
    R.Frees = Weighted ? rounded(Sum.WeightedFrees) : Sum.Frees * Factor;
    R.FreedBytes =
        Weighted ? rounded(Sum.WeightedFreedBytes) : Sum.FreedBytes * Factor;
    R.Temporary = Sum.Temporary * Factor;
    Out.Threads.push_back(std::move(R));
  }
}

/// In a part of the run: what was counted in it, and how many were alive when
/// it began. Of some threads: what they made and what they destroyed.
void Builder::addObjects(const Trace &T) {
  std::optional<std::vector<uint64_t>> Before, After;
  if (!Options.ThreadGlobs.empty()) {
    if (Options.inPhase())
      return; // Marks add up all threads.
    After =
        T.objectsOf([&](uint32_t Thread) { return wantedThread(T, Thread); });
  } else {
    if (Shown.From && !(Before = T.objectsAt(*Shown.From)))
      return;
    if (Shown.To && !(After = T.objectsAt(*Shown.To)))
      return;
  }
  Out.ObjectsKnown |= !T.Objects.empty();
  std::map<size_t, std::pair<uint64_t, uint64_t>> Earlier; // made, destroyed
  const auto CountOf = [&](const trace::Object &O) {
    const auto I = static_cast<size_t>(&O - T.Objects.data());
    const uint64_t Now = After ? (*After)[I] : O.Count;
    return Before ? minus(Now, (*Before)[I]) : Now;
  };
  const auto CountBefore = [&](const trace::Object &O) {
    return Before ? (*Before)[static_cast<size_t>(&O - T.Objects.data())] : 0;
  };
  // Objects that a function returned, by class and the storage they ended in.
  std::map<size_t, std::map<uint8_t, uint64_t>> Received;
  for (const trace::Object &O : T.Objects) {
    if (O.Storage == INMEM_STORAGE_BASE || (O.ClassName.empty() && O.Type == 0))
      continue;
    const size_t Class = classOf(T, O);
    TypeResult &Type = Out.Types[Class];
    if (!wanted(Type))
      continue;
    if (!Type.Objects)
      Type.Objects.emplace();
    ObjectCounts &Sum = *Type.Objects;
    const uint64_t Count = CountOf(O);
    if (O.Event == INMEM_OBJECT_DESTROYED) {
      Earlier[Class].second += CountBefore(O);
      Sum.Destroyed += Count;
      Sum.DestructorKnown = true;
      continue;
    }
    if (O.Event == INMEM_OBJECT_RECEIVED) {
      Received[Class][O.Storage] += Count;
      continue;
    }
    Earlier[Class].first += CountBefore(O);
    byStorage(Sum, O.Storage) += Count;
    byManner(Sum, O.Manner) += Count;
    if (Count == 0)
      continue;
    ObjectSite Site;
    Site.Where = {plain(O.Function), std::string(O.File), O.Line, O.Column};
    Site.Storage = O.Storage;
    Site.Manner = O.Manner;
    const auto Same = std::find_if(
        Sum.Sites.begin(), Sum.Sites.end(), [&](const ObjectSite &S) {
          return S.Where == Site.Where && S.Storage == Site.Storage &&
                 S.Manner == Site.Manner;
        });
    if (Same == Sum.Sites.end()) {
      Site.Constructed = Count;
      Sum.Sites.push_back(std::move(Site));
    } else {
      Same->Constructed += Count;
    }
  }
  // What was constructed in a return slot is where the caller has it. More may
  // be received than was seen constructed: from code without counters.
  for (const auto &[Class, Storages] : Received)
    for (const auto &[Storage, Count] : Storages) {
      ObjectCounts &Sum = *Out.Types[Class].Objects;
      const uint64_t Known = std::min(Count, Sum.Unknown);
      Sum.Unknown -= Known;
      byStorage(Sum, Storage) += Known;
    }
  for (const auto &[Class, Counted] : Earlier) {
    std::optional<uint64_t> &Carried = Out.Types[Class].Objects->Carried;
    if (Counted.second > Counted.first)
      Carried.reset();
    else if (Carried)
      *Carried += Counted.first - Counted.second;
  }
}

ObjectCounts *Builder::objectsOf(std::string_view ClassName, size_t &Class) {
  for (Class = 0; Class < Out.Types.size(); ++Class)
    if (TypeResult &T = Out.Types[Class];
        T.Objects && T.Name && *T.Name == ClassName)
      return &*T.Objects;
  return nullptr;
}

/// What objects=lifetime adds to the counts of objects.
void Builder::addLives(const Trace &T) {
  const Grid Of(T.Header);
  const PartRows Rows(T, Shown);
  size_t Class = 0;
  for (const trace::Entry &E : T.Entries) {
    const trace::Site &S = T.site(E.Site);
    if (S.ofBlocks())
      continue;
    Since Sums = Rows.since(E);
    if (S.Kind == INMEM_SITE_HELD) {
      const auto Block = SiteOfId.find(S.Line);
      const trace::Site &Objects = T.site(static_cast<uint32_t>(S.Key));
      if (Block != SiteOfId.end() && Objects.Kind == INMEM_SITE_OBJECT)
        Out.Sites[Block->second].Held[std::string(T.type(Objects.Type).Name)] +=
            minus(Sums.Now.Allocations, Sums.Before.Allocations);
    }
    if (S.Kind != INMEM_SITE_OBJECT)
      continue;
    ObjectCounts *Sum = objectsOf(T.type(E.Type).Name, Class);
    if (!Sum)
      continue;                                        // Not wanted.
    const Counts C = Sums.counts(trace::FileHeader{}); // None is sampled.
    const auto Earlier = Rows.before(E);
    auto &[Lives, Destroyed] = ObjectLives[Class];
    Lives.add(
        lifetime(T, Sums, Rows.atEnd(E), Earlier ? &*Earlier : nullptr, C, Of));
    Destroyed.add(C);
    const uint8_t Storage = S.ArrayCookie & 15,
                  Manner = S.ArrayCookie >> 4 & 15;
    if (!Sum->DestroyedIn)
      Sum->DestroyedIn.emplace();
    if (Storage < Sum->DestroyedIn->size())
      (*Sum->DestroyedIn)[Storage] += C.Frees;
    const Place Where = {plain(S.Function), std::string(S.File), S.Line,
                         S.Column};
    const auto IsHere = [&](const ObjectSite &Site) {
      return Site.Where == Where && Site.Storage == Storage &&
             Site.Manner == Manner;
    };
    if (C.LiveAllocations > 0 &&
        std::none_of(Sum->Sites.begin(), Sum->Sites.end(), IsHere)) {
      ObjectSite Absent; // It made none in this part of the run.
      Absent.Where = Where;
      Absent.Storage = Storage;
      Absent.Manner = Manner;
      Sum->Sites.push_back(std::move(Absent));
    }
    for (ObjectSite &Site : Sum->Sites) {
      if (!IsHere(Site))
        continue;
      Site.Alive = Site.Alive.value_or(0) + C.LiveAllocations;
      if (Manner == INMEM_MANNER_COPY) {
        Site.InnerAllocations =
            Site.InnerAllocations.value_or(0) +
            minus(Sums.Now.InnerAllocations, Sums.Before.InnerAllocations);
        Site.InnerBytes = Site.InnerBytes.value_or(0) +
                          minus(Sums.Now.InnerBytes, Sums.Before.InnerBytes);
      }
    }
  }
  const auto Peaks = T.peaksBetween(Shown.From, Shown.To);
  for (uint32_t I = 1; Peaks && I < T.Live.size(); ++I) {
    const trace::Type &Type = T.type(I);
    if (Type.Index == 0 || !(Type.Flags & INMEM_TYPE_OBJECT) || !Type.Size)
      continue;
    if (ObjectCounts *Sum = objectsOf(Type.Name, Class))
      Sum->PeakAlive =
          Sum->PeakAlive.value_or(0) +
          static_cast<uint64_t>(std::max<int64_t>(0, Peaks->Types[I])) /
              Type.Size;
  }
}

/// Objects of classes that are followed (objects=lifetime) which were destroyed
/// at an age in Options.Lived.
void Builder::addObjectsThatLived(const Trace &T) {
  const Grid Of(T.Header);
  const PartRows Rows(T, Shown);
  for (const trace::Entry &E : T.Entries) {
    const trace::Site &S = T.site(E.Site);
    if (S.Kind != INMEM_SITE_OBJECT || T.type(E.Type).Index == 0)
      continue;
    Since Sums = Rows.since(E);
    Counts C = Sums.counts(trace::FileHeader{});
    const auto Begun = Rows.before(E);
    Gathering Life =
        lifetime(T, Sums, Rows.atEnd(E), Begun ? &*Begun : nullptr, C, Of);
    Life.keep(*Options.Lived);
    trace::Object Followed;
    Followed.ClassName = T.type(E.Type).Name;
    const size_t Class = classOf(T, Followed);
    TypeResult &Type = Out.Types[Class];
    if (Life.Lives.count() == 0 || !wanted(Type))
      continue;
    if (!Type.Objects)
      Type.Objects.emplace();
    ObjectCounts &Sum = *Type.Objects;
    const uint8_t Storage = S.ArrayCookie & 15,
                  Manner = S.ArrayCookie >> 4 & 15;
    C.Allocations = C.Frees = Life.Lives.count();
    C.FreedBytes = Life.Lives.bytes();
    Sum.DestructorKnown = true;
    Sum.Destroyed += C.Frees;
    byStorage(Sum, Storage) += C.Frees;
    byManner(Sum, Manner) += C.Frees;
    if (!Sum.DestroyedIn)
      Sum.DestroyedIn.emplace();
    if (Storage < Sum.DestroyedIn->size())
      (*Sum.DestroyedIn)[Storage] += C.Frees;
    ObjectSite Site;
    Site.Where = {plain(S.Function), std::string(S.File), S.Line, S.Column};
    Site.Storage = Storage;
    Site.Manner = Manner;
    Site.Constructed = C.Frees;
    Site.Alive = 0;
    Sum.Sites.push_back(std::move(Site));
    auto &[Lives, Destroyed] = ObjectLives[Class];
    Lives.add(Life);
    Destroyed.add(C);
  }
}

void Builder::addProcess(const Trace &T) {
  const trace::FileHeader &H = T.Header;
  ProcessResult P;
  P.File = T.fileName();
  P.Pid = H.Pid;
  P.ParentPid = H.ParentPid;
  for (const std::string_view Word : T.Command)
    P.Command.emplace_back(Word);
  P.Host = std::string(T.Host);
  P.Executable = std::string(T.Executable);
  if (P.Command.empty() && !P.Executable.empty())
    P.Command.push_back(P.Executable);
  P.StartUnixNs = H.StartUnixNs;
  if (const uint64_t Ran = durationOf(H);
      Ran > 0 || (H.EndUnixNs != 0 && H.EndUnixNs == H.StartUnixNs))
    P.DurationNs = Ran;
  P.Complete = T.complete();
  P.Cut = T.Cut;
  P.Running = H.State == trace::RunState::Running;
  P.Verified = T.verified();
  P.Clock = std::string(
      trace::nameOf(trace::kClockNames, static_cast<uint64_t>(H.Clock)));
  P.DroppedEvents = H.DroppedEvents;
  P.Sampled = H.Flags & (trace::kFlagSampledBytes | trace::kFlagSampledEvery);
  P.Instrumented = H.Flags & trace::kFlagInstrumented;
  P.SampleBytes = H.SampleBytes;
  P.Every = std::max<uint64_t>(H.Every, 1);
  P.Reset = T.lastReset() != nullptr;

  if (H.Flags & trace::kFlagFull)
    note(T, "there was no more room for the trace, by the disk or by a "
            "limit: it ends there, and what came later is missing");
  else if (T.Cut)
    note(T, "the trace was cut short; all that reached it is shown");
  else if (P.Running)
    note(T, "the program was still running, or was killed; all that it "
            "recorded is shown, without checksums");
  else if (!T.Sealed)
    note(T, std::string(H.State == trace::RunState::Execed
                            ? "the program became another by exec"
                            : "threads went on after the program's end") +
                ", so no checksums cover its figures");
  if (T.damaged())
    note(T, "parts of the trace are damaged and left out "
            "(see --diagnostics)");
  if (H.DroppedEvents > 0)
    note(T, std::to_string(H.DroppedEvents) +
                " allocations could not be recorded");
  if (H.Flags & trace::kFlagSampledBytes)
    note(T, "sampled every " + std::to_string(H.SampleBytes) +
                " bytes on average; figures are estimates");
  if ((H.Flags & trace::kFlagSampledEvery) && H.Every > 1)
    note(T, "one allocation in " + std::to_string(H.Every) +
                " recorded; figures are estimates");
  if (H.MinSize > 0)
    note(T, "only allocations of " + std::to_string(H.MinSize) +
                " bytes and more were recorded");
  if (P.Reset && Shown.From == T.lastReset())
    note(T, "counts begin at the last reset");
  if (!Options.Phase.empty())
    note(T, "figures are those of --phase " + Options.Phase + " only");
  if (!Options.ThreadGlobs.empty())
    note(T, std::string("of the threads chosen only: live is what they "
                        "allocated less what they freed, whoever allocated "
                        "or freed the rest") +
                (P.Reset ? "; from the start of the run, not the reset" : ""));
  if (Options.Lived)
    note(T, "only blocks that were freed and had lived so long; how many of "
            "them were temporary is not known");
  for (const trace::Note &N : T.Notes)
    if (N.Kind != trace::NoteKind::Sealed && !N.Text.empty())
      note(T, std::string(N.Text));
  Out.Processes.push_back(std::move(P));
}

void Builder::note(const Trace &T, std::string Text) {
  auto Known = std::find_if(Notes.begin(), Notes.end(),
                            [&](const auto &N) { return N.first == Text; });
  constexpr size_t kMost = 100;
  if (Known == Notes.end()) {
    if (Notes.size() == kMost) {
      ++MoreNotes;
      return;
    }
    Known = Notes.emplace(Known, std::move(Text), std::vector<const Trace *>());
  }
  Known->second.push_back(&T);
}

/// One line for all traces of which it is said.
void Builder::writeNotes() {
  constexpr size_t kNamed = 3;
  for (const auto &[Text, Of] : Notes) {
    std::string Who;
    for (size_t I = 0; I < std::min(Of.size(), kNamed); ++I)
      Who.append(I ? ", " : "").append(Of[I]->fileName()).append(" (pid ") +=
          std::to_string(Of[I]->Header.Pid) + ')';
    if (Of.size() > kNamed)
      Who.append(" and ").append(std::to_string(Of.size() - kNamed) + " more");
    Out.Notes.push_back(Who + ": " + Text);
  }
  if (MoreNotes > 0)
    Out.Notes.push_back("and " + std::to_string(MoreNotes) +
                        " more notes on single traces");
}

/// A type without an alias of its own, such as `char`, has the alias of its
/// sites if that is the same for all: no block goes by a name not its own.
void Builder::nameAlias(TypeResult &Type) {
  if (!Type.Name || !Type.Alias.empty())
    return;
  const std::string *Shared = nullptr;
  for (const size_t Index : Type.Sites) {
    const SiteResult &Site = Out.Sites[Index];
    if (Site.Sum.Allocations == 0 && Site.Sum.CarriedAllocations == 0)
      continue;
    if (Shared && *Shared != Site.Alias)
      return;
    Shared = &Site.Alias;
  }
  if (Shared)
    Type.Alias = *Shared;
}

/// Whether each element of the class's blocks was one of its objects, and
/// became one: then blocks say how many of them there were at a time.
static bool eachInBlock(const TypeResult &Type) {
  const ObjectCounts &O = *Type.Objects;
  return O.Heap > 0 && Type.Elements == O.Heap &&
         Type.Sum.CarriedAllocations == 0 && O.Carried == 0 &&
         Type.Size.value_or(0) > 0 &&
         Type.Sum.AllocatedBytes == O.Heap * *Type.Size && // no cookies
         Type.PeakLiveBytes;
}

/// The most objects of a class that were alive at once, where counters tell:
/// none was destroyed, or each is alone in a block of its own.
static std::optional<uint64_t> peakAliveByCounts(const TypeResult &Type) {
  const ObjectCounts &O = *Type.Objects;
  if (O.DestructorKnown && O.Destroyed == 0 && O.Carried)
    return O.constructed() + *O.Carried;
  if (!eachInBlock(Type) || O.Heap != O.constructed() ||
      O.Heap != Type.Sum.Allocations || *Type.PeakLiveBytes % *Type.Size != 0)
    return std::nullopt;
  return *Type.PeakLiveBytes / *Type.Size;
}

/// The peak of objects, or what is certain of it.
static void boundPeak(TypeResult &Type) {
  ObjectCounts &O = *Type.Objects;
  if (!O.PeakAlive)
    O.PeakAlive = peakAliveByCounts(Type);
  if (O.PeakAlive) {
    O.PeakAtLeast = O.PeakAtMost = O.PeakAlive;
    return;
  }
  if (!O.alive())
    return;
  O.PeakAtLeast = std::max<uint64_t>(
      {*O.alive(), *O.Carried, uint64_t{O.constructed() > 0}});
  if (eachInBlock(Type))
    O.PeakAtLeast = std::max(*O.PeakAtLeast, *Type.PeakLiveBytes / *Type.Size);
  O.PeakAtMost = O.constructed() + *O.Carried;
  if (O.PeakAtLeast == O.PeakAtMost)
    O.PeakAlive = O.PeakAtMost;
}

void Builder::finish() {
  for (size_t I = 0; I < Out.Sites.size(); ++I)
    Out.Sites[I].Life = SiteLives[I].finish(Out.Sites[I].Sum);
  for (auto &[I, Lives] : SiteAllocationLives)
    Out.Sites[I].LifeInAllocations = Lives.finish(Out.Sites[I].Sum);
  for (auto &[I, Lives] : TypeAllocationLives)
    Out.Types[I].LifeInAllocations = Lives.finish(Out.Types[I].Sum);
  for (size_t I = 0; I < Out.Types.size(); ++I) {
    TypeResult &Type = Out.Types[I];
    Type.Life = TypeLives[I].finish(Type.Sum);
    if (const auto Lives = ObjectLives.find(I); Lives != ObjectLives.end())
      Type.Objects->Life = Lives->second.first.finish(Lives->second.second);
    if (!ElementsKnown[I])
      Type.Elements.reset();
    else if (Type.Name && !Type.Elements)
      Type.Elements = 0;
    // A block that another type took over while it was this one's at first
    // (a class's own operator new) may have raised the peak: it is no more
    // than what the type ever had.
    if (Type.PeakLiveBytes)
      Type.PeakLiveBytes =
          std::max(std::min(*Type.PeakLiveBytes,
                            Type.Sum.AllocatedBytes + Type.Sum.CarriedBytes),
                   Type.Sum.LiveBytes);
    if (Type.Objects && !Options.ofSomeBlocks())
      boundPeak(Type);
  }
  if (!PeakKnown)
    Out.PeakLiveBytes.reset();
  else if (Out.PeakLiveBytes) // a process was killed while it counted a block
    Out.PeakLiveBytes =
        std::max(std::min(*Out.PeakLiveBytes,
                          Out.Totals.AllocatedBytes + Out.Totals.CarriedBytes),
                 Out.Totals.LiveBytes);

  // Order: most bytes first, then by name, so that output is stable.
  std::vector<size_t> Order(Out.Types.size());
  std::vector<size_t> NewIndex(Out.Types.size());
  for (size_t I = 0; I < Order.size(); ++I)
    Order[I] = I;
  std::erase_if(Order, [&](size_t I) {
    const TypeResult &T = Out.Types[I];
    return T.Sum.Allocations == 0 && T.Sum.CarriedAllocations == 0 &&
           !(T.Objects && T.Objects->constructed() + T.Objects->Destroyed +
                                  T.Objects->Carried.value_or(0) >
                              0);
  });
  std::sort(Order.begin(), Order.end(), [&](size_t A, size_t B) {
    const TypeResult &X = Out.Types[A], &Y = Out.Types[B];
    if (X.Sum.AllocatedBytes != Y.Sum.AllocatedBytes)
      return X.Sum.AllocatedBytes > Y.Sum.AllocatedBytes;
    if (X.Name != Y.Name)
      return X.Name < Y.Name;
    return X.Id < Y.Id;
  });
  std::vector<TypeResult> Types;
  for (const size_t I : Order) {
    NewIndex[I] = Types.size();
    Types.push_back(std::move(Out.Types[I]));
  }
  Out.Types = std::move(Types);
  for (SiteResult &S : Out.Sites)
    S.Type = NewIndex[S.Type];
  for (StackResult &S : Out.Calls.Stacks)
    S.Type = NewIndex[S.Type];
  std::stable_sort(Out.Calls.Stacks.begin(), Out.Calls.Stacks.end(),
                   [](const StackResult &A, const StackResult &B) {
                     return A.Sum.AllocatedBytes > B.Sum.AllocatedBytes;
                   });
  std::vector<size_t> SiteOrder(Out.Sites.size());
  std::iota(SiteOrder.begin(), SiteOrder.end(), size_t{0});
  std::sort(SiteOrder.begin(), SiteOrder.end(),
            [&](size_t First, size_t Second) {
              const SiteResult &A = Out.Sites[First], &B = Out.Sites[Second];
              if (A.Sum.AllocatedBytes != B.Sum.AllocatedBytes)
                return A.Sum.AllocatedBytes > B.Sum.AllocatedBytes;
              return std::tie(A.Where.File, A.Where.Line, A.Where.Column,
                              A.Where.Function, A.Type) <
                     std::tie(B.Where.File, B.Where.Line, B.Where.Column,
                              B.Where.Function, B.Type);
            });
  std::vector<SiteResult> Sites;
  std::vector<size_t> NewSite(SiteOrder.size());
  for (const size_t I : SiteOrder) {
    NewSite[I] = Sites.size();
    Sites.push_back(std::move(Out.Sites[I]));
  }
  Out.Sites = std::move(Sites);
  for (FreeResult &F : Out.Frees) {
    F.Type = NewIndex[F.Type];
    F.Site = NewSite[F.Site];
  }
  std::stable_sort(Out.Frees.begin(), Out.Frees.end(),
                   [](const FreeResult &A, const FreeResult &B) {
                     return A.FreedBytes > B.FreedBytes;
                   });
  for (size_t I = 0; I < Out.Sites.size(); ++I)
    Out.Types[Out.Sites[I].Type].Sites.push_back(I);
  for (TypeResult &Type : Out.Types) {
    nameAlias(Type);
    if (Type.Objects)
      std::sort(Type.Objects->Sites.begin(), Type.Objects->Sites.end(),
                [](const ObjectSite &A, const ObjectSite &B) {
                  if (A.Constructed != B.Constructed)
                    return A.Constructed > B.Constructed;
                  return std::tie(A.Where.File, A.Where.Line, A.Where.Column,
                                  A.Where.Function, A.Storage, A.Manner) <
                         std::tie(B.Where.File, B.Where.Line, B.Where.Column,
                                  B.Where.Function, B.Storage, B.Manner);
                });
  }
  std::sort(Out.Threads.begin(), Out.Threads.end(),
            [](const ThreadResult &A, const ThreadResult &B) {
              return A.AllocatedBytes != B.AllocatedBytes
                         ? A.AllocatedBytes > B.AllocatedBytes
                         : std::tie(A.Pid, A.Index) < std::tie(B.Pid, B.Index);
            });
}

void Builder::finishTyping() {
  for (const auto &[Rule, Sum] : Rules)
    Out.Rules.push_back(
        {Rule == kCallerRule
             ? "caller"
             : std::string(trace::nameOf(trace::kTypeRuleNames, Rule)),
         Sum.Allocations, Sum.AllocatedBytes});
  const auto Key = [](const DoubtResult &D) {
    const Place &At = D.Site.Where;
    return std::tuple(~D.Site.Sum.AllocatedBytes, At.File, At.Line, At.Column,
                      D.Site.Key, D.What);
  };
  std::sort(Out.Doubts.begin(), Out.Doubts.end(),
            [&](const auto &A, const auto &B) { return Key(A) < Key(B); });
}

trace::Result<Profile> Builder::run(std::span<const Trace> Traces) {
  for (size_t I = 0; I < Traces.size(); ++I) {
    const Unit U = Grid(Traces[I].Header).unit();
    if (I == 0)
      Out.LifeUnit = U;
    else if (U != Out.LifeUnit)
      return trace::Status::error(
          Traces[I].fileName(),
          "its lifetimes are in another unit than those of " +
              Traces[0].fileName() +
              " (clock=events or not): report them "
              "one at a time");
  }
  for (const Trace &T : Traces) {
    Out.Resolution = std::max(Out.Resolution, Grid(T.Header).fromTicks(1));
    if (trace::Status Chosen = choosePart(T); !Chosen.ok())
      return Chosen;
    Out.TemporaryKnown = !Options.Lived;
    Out.WholeRun = !Options.inPart();
    addProcess(T);
    addEntries(T);
    addFrees(T);
    addThreads(T);
    if (!Options.Lived)
      addObjects(T);
    else if (Options.ThreadGlobs.empty())
      addObjectsThatLived(T);
    // What follows is known of all threads only.
    if (Options.ofSomeBlocks()) {
      PeakKnown = false;
      continue;
    }
    addPeaks(T);
    addLives(T);
    if (Options.inPhase())
      continue;
    addInherited(T, Out.Inherited);
    if (Traces.size() == 1 && !T.Snapshots.empty())
      addTimeline(T);
  }
  finish();
  finishTyping();
  writeNotes();
  return std::move(Out);
}

} // namespace

std::optional<std::array<uint64_t, 8>> ObjectCounts::destroyedIn() const {
  if (DestroyedIn || !DestructorKnown || Destroyed > constructed() ||
      Carried != 0)
    return DestroyedIn;
  std::array<uint64_t, 8> Made{};
  ObjectCounts Copy = *this;
  for (const uint8_t Storage : kStorages)
    Made[Storage] = byStorage(Copy, Storage);
  if (Destroyed == 0)
    return std::array<uint64_t, 8>{};
  if (Destroyed == constructed())
    return Made;
  for (uint64_t &Count : Made)
    if (Count == constructed()) {
      Count = Destroyed;
      return Made;
    }
  return std::nullopt;
}

std::string_view nameOf(DoubtResult::Kind What) {
  switch (What) {
  case DoubtResult::Kind::Disagree:
    return "disagree";
  case DoubtResult::Kind::TooSmall:
    return "too-small";
  case DoubtResult::Kind::Remainder:
    return "remainder";
  }
  return "";
}

trace::Result<Profile> buildProfile(std::span<const Trace> Traces,
                                    const ProfileOptions &Options) {
  return Builder(Options).run(Traces);
}

} // namespace inmem::report
