//===- TimeGrid.cpp - Each row's counts in each part of a run -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/TimeGrid.h"

#include "report/model/PartRows.h"
#include "report/model/RowSums.h"

#include <algorithm>

namespace inmem::report {

using trace::Trace;

std::span<const uint64_t> lifetimeEdges() {
  // 1, 2, 5, 10 and so on, up to some 15 minutes or a terabyte.
  static const std::vector<uint64_t> Edges = [] {
    std::vector<uint64_t> All;
    for (uint64_t Power = 1; Power <= 100'000'000'000'000; Power *= 10)
      for (const uint64_t Digit : {1u, 2u, 5u})
        All.push_back(Digit * Power);
    return All;
  }();
  return Edges;
}

namespace {

/// The class that contains a lifetime.
uint32_t classOf(uint64_t Life) {
  const auto Edges = lifetimeEdges();
  return static_cast<uint32_t>(
      std::upper_bound(Edges.begin(), Edges.end(), Life) - Edges.begin());
}

void addTo(TimeCounts &To, const TimeCounts &D) {
  To.Allocations += D.Allocations;
  To.Bytes += D.Bytes;
  To.Frees += D.Frees;
  To.FreedBytes += D.FreedBytes;
  To.Live += D.Live;
  To.LiveBytes += D.LiveBytes;
}

/// Adds lifetimes to their classes.
void addLifetimes(TimePart &Part, uint32_t Type, const Histogram &Lifetimes) {
  for (const Bucket &B : Lifetimes.buckets()) {
    // A trace's buckets are finer than the classes, so a bucket's middle
    // decides.
    const uint64_t Middle = B.From + (B.To - B.From) / 2;
    Bucket &Sum = Part.Lifetimes[{Type, classOf(Middle)}];
    Sum.Count += B.Count;
    Sum.Bytes += B.Bytes;
  }
}

/// The state of all rows at a moment.
struct State {
  struct Entry {
    trace::RowTotals Totals;
    uint32_t Row = 0;   ///< of the snapshot's rows
    uint32_t Index = 0; ///< index into Trace::Entries, for the end state
    int64_t Live = 0, LiveBytes = 0;
  };
  const trace::Snapshot *At = nullptr; ///< null: start or end of the run
  bool End = false;
  std::unordered_map<uint64_t, Entry> Rows;
};

class SnapshotGrid {
public:
  SnapshotGrid(const Trace &From, const TimeRows &Wanted)
      : T(From), Rows(Wanted), Of(From.Header) {}

  std::optional<TimeGrid> build(size_t Most) {
    const trace::Snapshot *Reset = T.lastReset();
    std::vector<const trace::Snapshot *> Moments;
    for (const trace::Snapshot &S : T.Snapshots)
      if (!Reset || S.Sequence > Reset->Sequence)
        Moments.push_back(&S);
    thin(Moments, Most);
    if (Moments.empty())
      return std::nullopt;
    TimeGrid Out;
    State Before;
    if (Reset) {
      Out.BeginNs = nanosecondsAt(T, *Reset);
      Before = read(Reset);
      for (auto &[Key, E] : Before.Rows) {
        RowSums Sums;
        Sums.Now = E.Totals;
        const Counts C = Sums.counts(T.Header);
        E.Live = static_cast<int64_t>(C.LiveAllocations);
        E.LiveBytes = static_cast<int64_t>(C.LiveBytes);
      }
    }
    Out.HasThreads = true;
    for (const trace::Snapshot *S : Moments)
      addPart(Out, Before, read(S), nanosecondsAt(T, *S));
    const uint64_t Ran = durationOf(T.Header);
    const uint64_t Last = Out.Parts.back().EndNs;
    State End = readEnd();
    addPart(Out, Before, std::move(End), std::max(Ran, Last));
    // A part after the last snapshot that takes no time has no new information.
    if (const TimePart &Tail = Out.Parts.back();
        Tail.EndNs == Last && Tail.Rows.empty() && Tail.Threads.empty())
      Out.Parts.pop_back();
    if (!Out.HasThreads)
      for (TimePart &Part : Out.Parts)
        Part.Threads.clear();
    return Out;
  }

private:
  /// Keeps at most \p Most moments, preferring those with names.
  void thin(std::vector<const trace::Snapshot *> &Moments, size_t Most) {
    if (Moments.size() <= Most)
      return;
    std::vector<const trace::Snapshot *> Named;
    for (const TimelineMark &M : marksOf(T))
      Named.push_back(M.At);
    std::vector<const trace::Snapshot *> Kept;
    for (size_t I = 0; I < Moments.size(); ++I) {
      const bool Regular =
          (I + 1) * Most / Moments.size() != I * Most / Moments.size();
      const bool Marked = Named.size() <= Most &&
                          std::ranges::find(Named, Moments[I]) != Named.end();
      if (Regular || Marked)
        Kept.push_back(Moments[I]);
    }
    Moments = std::move(Kept);
  }

  uint64_t keyOf(uint32_t Site, uint32_t Type) const {
    return uint64_t{Site} << 32 | (Type != 0 ? Type : T.site(Site).Type);
  }

  State read(const trace::Snapshot *S) const {
    State Out;
    Out.At = S;
    for (uint32_t I = 0; I < S->Header.Rows; ++I) {
      const trace::Row R = T.snapshotRow(*S, I);
      if (!T.site(R.Site).ofBlocks())
        continue;
      State::Entry &E = Out.Rows[keyOf(R.Site, R.Type)];
      E.Totals.add(R);
      E.Row = I;
    }
    return Out;
  }

  State readEnd() const {
    State Out;
    Out.End = true;
    for (uint32_t I = 0; I < T.Entries.size(); ++I) {
      const trace::Entry &E = T.Entries[I];
      if (T.site(E.Site).ofBlocks())
        Out.Rows[uint64_t{E.Site} << 32 | E.Type] = {E.Totals, 0, I};
    }
    return Out;
  }

  trace::Buckets bucketsOf(const State &S, const State::Entry &E) const {
    trace::Buckets Out;
    if (S.End)
      return T.buckets(T.Entries[E.Index]);
    if (S.At)
      T.snapshotRow(*S.At, E.Row, &Out);
    return Out;
  }

  void addPart(TimeGrid &Out, State &Before, State Now, uint64_t EndNs) {
    TimePart Part;
    Part.EndNs = EndNs;
    for (auto &[Key, E] : Now.Rows) {
      const auto Row = Rows.RowOf.find(Key);
      if (Row == Rows.RowOf.end())
        continue;
      const auto Earlier = Before.Rows.find(Key);
      RowSums Sums;
      Sums.Now = E.Totals;
      Sums.Reset = true;
      if (Earlier != Before.Rows.end())
        Sums.Before = Earlier->second.Totals;
      const Counts C = Sums.counts(T.Header);
      E.Live = static_cast<int64_t>(C.LiveAllocations);
      E.LiveBytes = static_cast<int64_t>(C.LiveBytes);
      TimeCounts D = deltaOf(C);
      const bool Has = Earlier != Before.Rows.end();
      D.Live = E.Live - (Has ? Earlier->second.Live : 0);
      D.LiveBytes = E.LiveBytes - (Has ? Earlier->second.LiveBytes : 0);
      if (D.none())
        continue;
      addTo(Part.Rows[Row->second], D);
      if (C.Frees == 0)
        continue;
      trace::Buckets Old;
      if (Has)
        Old = bucketsOf(Before, Earlier->second);
      const LifetimeSum Life = lifetimeOf(T.Header, Sums, bucketsOf(Now, E),
                                          Has ? &Old : nullptr, C, Of);
      addLifetimes(Part, Rows.TypeOf[Row->second], Life.Lifetimes);
    }
    addThreads(Out, Part, Before, Now);
    Out.Parts.push_back(std::move(Part));
    Before = std::move(Now);
  }

  void addThreads(TimeGrid &Out, TimePart &Part, const State &Before,
                  const State &Now) const {
    const auto Known =
        ThreadRows::of(T, {Before.At, Now.End ? nullptr : Now.At});
    Out.HasThreads &= Known.has_value();
    if (!Known)
      return;
    auto Sums =
        Known->sums([](const trace::MarkRow &M) { return M.Thread; },
                    [](const trace::MarkRow &M) { return M.Thread != 0; });
    for (auto &[Thread, Both] : Sums) {
      RowSums S;
      S.SomeThreads = true;
      std::tie(S.Before, S.Now) = Both;
      const TimeCounts D = deltaOf(S.counts(T.Header));
      if (!D.none())
        Part.Threads[Thread] = D;
    }
  }

  static TimeCounts deltaOf(const Counts &C) {
    TimeCounts D;
    D.Allocations = static_cast<int64_t>(C.Allocations);
    D.Bytes = static_cast<int64_t>(C.AllocatedBytes);
    D.Frees = static_cast<int64_t>(C.Frees);
    D.FreedBytes = static_cast<int64_t>(C.FreedBytes);
    return D;
  }

  const Trace &T;
  const TimeRows &Rows;
  const Grid Of;
};

/// Assigns each event to its part of the run.
class EventGrid {
public:
  EventGrid(const Trace &From, const TimeRows &Wanted, size_t Parts)
      : T(From), Rows(Wanted), Of(From.Header) {
    const uint64_t Ran = std::max<uint64_t>(durationOf(T.Header), 1);
    Width = std::max<uint64_t>((Ran + Parts - 1) / Parts, 1);
    Out.OfEvents = Out.HasThreads = true;
    for (uint64_t End = Width; Out.Parts.size() < Parts; End += Width) {
      Out.Parts.emplace_back();
      Out.Parts.back().EndNs = std::min(End, Ran);
      if (End >= Ran)
        break;
    }
    RowOfSite.resize(T.Sites.size(), kNone);
    for (const trace::Entry &E : T.Entries)
      if (const auto Row = Rows.RowOf.find(uint64_t{E.Site} << 32 | E.Type);
          Row != Rows.RowOf.end() && E.Site < RowOfSite.size())
        RowOfSite[E.Site] = Row->second;
  }

  std::optional<TimeGrid> build() {
    uint64_t Seen = 0;
    Sums.resize(Rows.TypeOf.size());
    for (const auto &[Index, Thread] : T.Threads) {
      trace::EventStream Events(T, Index);
      trace::Event E;
      while (Events.next(E)) {
        const uint64_t At = std::min<uint64_t>(Of.fromTicks(E.Ticks) / Width,
                                               Out.Parts.size() - 1);
        if (At != Current)
          flush(Index);
        Current = At;
        Seen += add(E);
      }
      flush(Index);
    }
    if (Seen == 0)
      return std::nullopt;
    return std::move(Out);
  }

private:
  static constexpr uint32_t kNone = ~0u;

  TimeCounts &sumOf(uint32_t Row) {
    if (Sums[Row].none())
      Touched.push_back(Row);
    return Sums[Row];
  }

  bool add(const trace::Event &E) {
    const uint32_t Row = E.Site < RowOfSite.size() ? RowOfSite[E.Site] : kNone;
    if (Row == kNone)
      return false;
    const auto Bytes = static_cast<int64_t>(E.Size);
    switch (E.Kind) {
    case trace::EventKind::Allocate:
      allocate(sumOf(Row), 1, Bytes);
      allocate(OfThread, 1, Bytes);
      break;
    case trace::EventKind::Retag:
      allocate(sumOf(Row), 1, Bytes);
      if (E.From < RowOfSite.size() && RowOfSite[E.From] != kNone)
        allocate(sumOf(RowOfSite[E.From]), -1, -Bytes);
      break;
    case trace::EventKind::Free:
      release(sumOf(Row), Bytes);
      release(OfThread, Bytes);
      if (E.Timed) {
        const uint64_t Life = Of.fromTicks(E.Lifetime);
        Bucket &Sum =
            Lifetimes[uint64_t{Rows.TypeOf[Row]} << 32 | classOf(Life)];
        ++Sum.Count;
        Sum.Bytes += E.Size;
      }
      break;
    }
    return true;
  }

  /// Adds one thread's counts in one part.
  void flush(uint32_t Thread) {
    TimePart &Part = Out.Parts[Current];
    for (const uint32_t Row : Touched) {
      addTo(Part.Rows[Row], Sums[Row]);
      Sums[Row] = {};
    }
    Touched.clear();
    if (!OfThread.none()) {
      OfThread.Live = OfThread.LiveBytes = 0;
      addTo(Part.Threads[Thread], OfThread);
    }
    OfThread = {};
    for (const auto &[Key, B] : Lifetimes) {
      Bucket &Sum = Part.Lifetimes[{static_cast<uint32_t>(Key >> 32),
                                    static_cast<uint32_t>(Key)}];
      Sum.Count += B.Count;
      Sum.Bytes += B.Bytes;
    }
    Lifetimes.clear();
  }

  static void allocate(TimeCounts &C, int64_t Blocks, int64_t Bytes) {
    C.Allocations += Blocks;
    C.Bytes += Bytes;
    C.Live += Blocks;
    C.LiveBytes += Bytes;
  }
  static void release(TimeCounts &C, int64_t Bytes) {
    ++C.Frees;
    C.FreedBytes += Bytes;
    --C.Live;
    C.LiveBytes -= Bytes;
  }

  const Trace &T;
  const TimeRows &Rows;
  const Grid Of;
  uint64_t Width = 1;
  TimeGrid Out;
  std::vector<uint32_t> RowOfSite;
  // The thread and the part being read:
  size_t Current = 0;
  std::vector<TimeCounts> Sums;  ///< by row
  std::vector<uint32_t> Touched; ///< rows of Sums, possibly repeated
  TimeCounts OfThread;
  std::unordered_map<uint64_t, Bucket> Lifetimes; ///< by type and class
};

} // namespace

std::optional<TimeGrid> timeGridOf(const Trace &T, const TimeRows &Rows,
                                   size_t Most) {
  constexpr uint32_t kSampled =
      trace::kFlagSampledBytes | trace::kFlagSampledEvery;
  const bool Events = std::ranges::any_of(T.Extents, [](const auto &E) {
    return E.Header.Kind == trace::ExtentKind::Events;
  });
  if (Events && Grid(T.Header).unit() == Unit::Nanoseconds &&
      !(T.Header.Flags & kSampled) && !T.lastReset())
    if (auto Grid = EventGrid(T, Rows, Most).build())
      return Grid;
  return SnapshotGrid(T, Rows).build(Most);
}

} // namespace inmem::report
