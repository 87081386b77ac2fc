//===- Blocks.cpp - Blocks by site and type -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Blocks.h"
#include "report/base/Arithmetic.h"
#include "report/model/Accumulators.h"
#include "report/model/LibraryCode.h"
#include "report/model/View.h"

#include "inmem/abi.h"

#include <algorithm>

namespace inmem::report {

using trace::Trace;

/// Keeps only the blocks of a row whose lifetime is in Options.Lived.
void BlockSums::keepThoseThatLived(LifetimeSum &Life, Counts &C) const {
  Life.keep(*Options.Lived);
  const Counts All = std::exchange(C, {});
  C.Allocations = C.Frees = Life.Lifetimes.count();
  C.AllocatedBytes = C.FreedBytes = Life.Lifetimes.bytes();
  C.Estimated = All.Estimated;
  const auto Part = static_cast<double>(C.Allocations) /
                    static_cast<double>(std::max<uint64_t>(All.Allocations, 1));
  C.AllocationsVariance = All.AllocationsVariance * Part;
  C.BytesVariance = All.BytesVariance * Part;
}

/// Adds the objects in the blocks of a site.
void BlockSums::addElements(const trace::Site &S, size_t Type,
                            const Counts &C) {
  TypeResult &Row = Out.Types[Type];
  if (S.ofSingles())
    Row.Elements = Row.Elements.value_or(0) + C.Allocations;
  else if (Row.Size)
    Row.Elements =
        Row.Elements.value_or(0) +
        minus(C.AllocatedBytes, C.Allocations * S.ArrayCookie) / *Row.Size;
  else
    ElementsUnknown.insert(Type);
}

/// Lifetimes of a site's blocks in allocations (clock=events).
void BlockSums::addAllocationLifetimes(const Trace &T, const trace::Entry &E,
                                       size_t Site, const Counts &C) {
  trace::Buckets InAllocations;
  RowSums Whole;
  Whole.Now = T.allocationLifetimes(E, InAllocations);
  const LifetimeSum Life =
      lifetimeOf(T.Header, Whole, InAllocations, nullptr, C, Grid(T.Header));
  SiteAllocationLifetimes[Site].add(Life);
  TypeAllocationLifetimes[Out.Sites[Site].Type].add(Life);
}

/// The key of an entry (EntryRow).
static uint64_t keyOf(const trace::Entry &E) {
  return uint64_t{E.Site} << 32 | E.Type;
}

void BlockSums::addStack(const Trace &T, const trace::Entry &E, size_t Site,
                         std::vector<uint32_t> Frames, const Counts &C,
                         const LifetimeSum &Life) {
  StackResult R;
  R.Frames = std::move(Frames);
  R.Type = Out.Sites[Site].Type;
  R.Sum = C;
  R.LivedSum = Life.Sum;
  R.LivedCount = Life.Weight;
  R.Sizes = Life.Sizes;
  R.Sizes.addLive(C);
  R.P50 = LifetimeSum(Life).finish(C).P50;
  R.PeakLiveBytes = T.atPeak(E.Site);
  R.Site = Site;
  R.Entry = keyOf(E);
  Out.Calls.Stacks.push_back(std::move(R));
}

namespace {

constexpr auto kNotOfSums = static_cast<uint16_t>(~trace::kFlagNoLiveBySite);

/// Totals of the whole run, and of the process that was added last.
void addTotals(Profile &To, const Counts &C) {
  To.Totals.add(C);
  To.Totals.Unknown &= kNotOfSums;
  To.Processes.back().Allocations += C.Allocations;
  To.Processes.back().AllocatedBytes += C.AllocatedBytes;
}

/// Live blocks of a type are known even if their site is unknown.
void addToType(TypeResult &To, const Counts &C) {
  To.Sum.add(C);
  To.Sum.Unknown &= kNotOfSums;
}

/// An entry's rows are scattered, one for each thread. The pages read are
/// released now and then, or all of the file would stay in memory.
class ReadRows {
public:
  explicit ReadRows(const Trace &Of)
      : T(Of), Most(std::max<size_t>(
                   kRows / std::max<size_t>(T.Threads.size(), 1), 1)) {}
  /// Call this for each entry.
  void next() {
    if (++Entries % Most == 0)
      T.File->haveRead(T.Base, T.End - T.Base);
  }

private:
  static constexpr size_t kRows = 1 << 16;
  const Trace &T;
  const size_t Most;
  size_t Entries = 0;
};

} // namespace

/// SiteType::Passed of an entry without instrumentation, or 0.
uint16_t BlockSums::passedBy(const Trace &T, const trace::Entry &E) {
  return T.site(E.Site).Kind == INMEM_SITE_CALLER && E.Type == 0
             ? Rules.foundFor(T, E).Passed
             : uint16_t{0};
}

/// Assigns the row to the caller for which the site's type was found.
void BlockSums::choosePlace(const Trace &T, const trace::Entry &E,
                            SiteResult &Site) {
  const trace::Site &S = T.site(E.Site);
  if (!S.HasCaller || S.Stack != 0)
    return;
  if (const uint16_t Passed = passedBy(T, E))
    Sites.chooseCaller(T, S, Passed - 1u, Site);
}

/// The frames that led to an entry, which also yield the caller of its site.
std::vector<uint32_t> BlockSums::framesOf(const Trace &T, const trace::Entry &E,
                                          SiteResult &Site) {
  const trace::Site &S = T.site(E.Site);
  std::vector<uint32_t> Frames = Calls.framesOf(T, S, Site.Chain);
  if (S.Stack == 0 || Site.Caller)
    return Frames;
  const uint16_t Passed = passedBy(T, E);
  if (Passed > 0) {
    // Wrappers of the allocator get no row: their caller does.
    uint32_t Beyond = S.Stack;
    for (uint16_t I = 0; I < Passed && T.stack(Beyond).Parent != 0; ++I)
      Beyond = T.stack(Beyond).Parent;
    Site.Caller = Calls.userFrame(Calls.framesOf(T, Beyond));
  } else if (isInLibrary(Site)) {
    Site.Caller = Calls.userFrame(Frames);
  }
  return Frames;
}

trace::RowTotals BlockSums::totalsOfThreads(const Trace &T,
                                            const trace::Entry &E,
                                            trace::Buckets &Raw) const {
  trace::RowTotals Sum;
  for (uint32_t I = E.FirstRow; I != trace::RowRef::kNone; I = T.Rows[I].Next) {
    const trace::RowRef &Ref = T.Rows[I];
    if (!selectsThread(Options, T, Ref.Thread))
      continue;
    Sum.add(T.row(Ref));
    T.addBuckets(Ref, Raw);
  }
  return Sum;
}

/// Sums of the selected threads in a part of the run: each entry's counts at
/// the start and at the end of the part.
static std::map<uint64_t, std::pair<trace::RowTotals, trace::RowTotals>>
sumsOfThreads(const TracePart &Part, const ProfileOptions &Options) {
  if (!Part.ByThread || Options.ThreadGlobs.empty())
    return {};
  return Part.ByThread->sums(
      [&](const trace::MarkRow &M) { return Part.ByThread->entryOf(M); },
      [&](const trace::MarkRow &M) {
        return selectsThread(Options, Part.T, M.Thread);
      });
}

void BlockSums::add(const TracePart &Part) {
  const Trace &T = Part.T;
  const Grid Of(T.Header);
  const PartRows Rows(T, Part.Shown);
  auto OfThreads = sumsOfThreads(Part, Options);
  uint64_t Inconsistent = 0;
  SiteOfId.clear();
  CountsOfId.clear();
  const bool HasStacks = std::ranges::any_of(
      T.Sites, [](uint32_t Stack) { return Stack != 0; }, &trace::Site::Stack);
  ReadRows Read(T);
  // A trace without blocks has no more figures than others.
  Out.Totals.Unknown |= unknownOf(T.Header) & kNotOfSums;
  for (const trace::Entry &E : T.Entries) {
    Read.next();
    if (!T.site(E.Site).ofBlocks())
      continue;
    RowSums Sums = Rows.since(E);
    Counts C = Sums.counts(T.Header);
    Inconsistent += Sums.Inconsistent;
    if (C.Allocations == 0 && C.CarriedAllocations == 0)
      continue;
    addTotals(Out, C);
    SiteResult Described = Sites.describeBlocks(T, E, Types.of(T, E.Type));
    auto Frames =
        HasStacks ? framesOf(T, E, Described) : std::vector<uint32_t>();
    choosePlace(T, E, Described);
    const size_t Type = Rules.decide(T, E, Described, C);
    TypeResult &TypeRow = Out.Types[Type];
    if (!selects(Options, TypeRow, Described))
      continue;
    trace::Buckets Raw;
    if (!Options.ThreadGlobs.empty()) {
      Sums = {};
      Sums.SomeThreads = true;
      if (Part.ByThread)
        std::tie(Sums.Before, Sums.Now) =
            OfThreads[uint64_t{E.Site} << 32 | E.Type];
      else
        Sums.Now = totalsOfThreads(T, E, Raw);
      C = Sums.counts(T.Header);
    } else {
      Raw = Rows.atEnd(E);
    }
    const auto Earlier = Sums.SomeThreads ? std::nullopt : Rows.before(E);
    LifetimeSum Life =
        lifetimeOf(T.Header, Sums, Raw, Earlier ? &*Earlier : nullptr, C, Of);
    if (Options.Lived)
      keepThoseThatLived(Life, C);
    if (C.Allocations == 0 && C.CarriedAllocations == 0)
      continue;
    // Alive at the end, but the allocating code is unknown.
    if ((C.Unknown & trace::kFlagNoLiveBySite) && T.atPeak(E.Site) == 0) {
      addToType(TypeRow, C);
      continue;
    }
    const size_t Site = Sites.of(std::move(Described));
    SiteOfId[E.Site] = Site;
    Out.Entries.push_back({keyOf(E), Site});
    Out.Sites[Site].Sum.add(C);
    addToType(TypeRow, C);
    addElements(T.site(E.Site), Type, C);
    CountsOfId[E.Site].add(C);
    if (HasStacks)
      addStack(T, E, Site, std::move(Frames), C, Life);
    if (Options.Parts && !Options.inPart() && !T.lastReset())
      addParts(T, E, C, Life, Out.Parts);
    SiteLifetimes[Site].add(Life);
    TypeLifetimes[Type].add(Life);
    if (!Sums.Reset && !Sums.SomeThreads && !Options.Lived &&
        E.FirstAllocationLifetimes != trace::RowRef::kNone)
      addAllocationLifetimes(T, E, Site, C);
  }
  if (Inconsistent > 0 && T.Header.State != trace::RunState::Running)
    Notes.add(T,
              std::to_string(Inconsistent) +
                  " sites say that more was freed than allocated; they are cut "
                  "to fit "
                  "(see --diagnostics)");
}

void BlockSums::finish() {
  for (size_t I = 0; I < Out.Sites.size(); ++I) {
    SiteResult &Site = Out.Sites[I];
    LifetimeSum &Sum = SiteLifetimes[I];
    Site.Sizes = Sum.Sizes;
    Site.Sizes.addLive(Site.Sum);
    Site.Life = Sum.finish(Site.Sum);
  }
  for (auto &[I, Lifetimes] : SiteAllocationLifetimes)
    Out.Sites[I].LifetimeInAllocations = Lifetimes.finish(Out.Sites[I].Sum);
  for (auto &[I, Lifetimes] : TypeAllocationLifetimes)
    Out.Types[I].LifetimeInAllocations = Lifetimes.finish(Out.Types[I].Sum);
  for (size_t I = 0; I < Out.Types.size(); ++I) {
    TypeResult &Type = Out.Types[I];
    Type.Life = TypeLifetimes[I].finish(Type.Sum);
    if (!Type.Name || ElementsUnknown.contains(I))
      Type.Elements.reset();
    else if (!Type.Elements)
      Type.Elements = 0;
  }
}

} // namespace inmem::report
