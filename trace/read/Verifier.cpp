//===- Verifier.cpp - Invariants of traces --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/Verifier.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace inmem::trace {

namespace {

class Checker {
public:
  explicit Checker(const Trace &Of) : T(Of) {}

  std::vector<Diagnostic> run();

private:
  /// Checks that A <= B; `What` names the two.
  void atMost(uint64_t Offset, const char *What, uint64_t A, uint64_t B) {
    if (A > B)
      add(Offset, What, "at most " + std::to_string(B), std::to_string(A));
  }
  void add(uint64_t Offset, std::string What, std::string Expected,
           std::string Found) {
    if (Out.size() >= 1000)
      return;
    Diagnostic F;
    F.Severity = T.Header.State == RunState::Running
                     ? Diagnostic::Level::Note
                     : Diagnostic::Level::Invariant;
    F.Offset = Offset;
    F.What = std::move(What);
    F.Expected = std::move(Expected);
    F.Found = std::move(Found);
    Out.push_back(std::move(F));
  }
  void checkEntry(const Entry &E);
  void checkRow(const RowRef &Ref);
  void checkFrees();
  void checkMapped();
  void checkLive();
  void checkSnapshots();
  void checkMarks();
  void checkEvents();
  /// Calls Begin for each mark, the last first, and Visit with each of its
  /// elements and its offset. Elements that belong to no mark are diagnosed.
  template <class Element, class Beginner, class Visitor>
  void forEachMark(ExtentKind Kind, uint32_t Flag, const char *What,
                   Beginner Begin, Visitor Visit);

  const Trace &T;
  std::vector<Diagnostic> Out;
};

void Checker::checkRow(const RowRef &Ref) {
  const Row R = T.row(Ref);
  atMost(Ref.Offset, "reallocations within allocations of a row",
         R.Reallocations, R.Allocations);
  atMost(Ref.Offset, "temporary within frees of a row", R.Temporary, R.Frees);
  atMost(Ref.Offset, "timed frees within frees of a row", R.Timed, R.Frees);
  // Other tools count a request of 0 bytes as 0.
  if (T.site(R.Site).ofBlocks() && !(T.Header.Flags & kFlagImported))
    atMost(Ref.Offset, "blocks within bytes of a row", R.Allocations, R.Bytes);
  if (R.Timed > 0) {
    atMost(Ref.Offset, "shortest life within longest of a row", R.MinTicks,
           R.MaxTicks);
    using Wide = unsigned __int128;
    const Wide Sum = R.SumTicks;
    if (Sum < Wide{R.MinTicks} * R.WeightedTimed ||
        Sum > Wide{R.MaxTicks} * R.WeightedTimed)
      add(Ref.Offset, "sum of lifetimes of a row",
          std::to_string(R.WeightedTimed) + " lives between " +
              std::to_string(R.MinTicks) + " and " + std::to_string(R.MaxTicks),
          std::to_string(R.SumTicks));
  }
  Buckets Lifetimes;
  if (!T.addBuckets(Ref, Lifetimes)) {
    if (!T.Cut)
      add(Ref.Offset, "reference of a row to its lifetimes",
          "a block of an Octaves extent of its thread", "another place");
    return;
  }
  uint64_t Count = 0;
  for (const Buckets::Cell &Cell : Lifetimes.Cells)
    Count += Cell.Count;
  if (Count != R.WeightedTimed)
    add(Ref.Offset, "lifetimes of a row in all",
        std::to_string(R.WeightedTimed), std::to_string(Count));
}

void Checker::checkEntry(const Entry &E) {
  const RowTotals &R = E.Totals;
  const uint64_t At =
      E.FirstRow == RowRef::kNone ? 0 : T.Rows[E.FirstRow].Offset;
  atMost(At, "blocks moved out within allocations of a site", R.MovedOut,
         R.Allocations);
  atMost(At, "bytes moved out within bytes of a site", R.MovedOutBytes,
         R.Bytes);
  if (R.MovedOut <= R.Allocations)
    atMost(At, "frees within allocations of a site", R.Frees,
           R.Allocations - R.MovedOut);
  if (R.MovedOutBytes <= R.Bytes)
    atMost(At, "freed bytes within bytes of a site", R.FreedBytes,
           R.Bytes - R.MovedOutBytes);
  if (!T.Cut && T.site(E.Site).Id == 0)
    add(At, "site of a row", "a site record", std::to_string(E.Site));
  if (!T.Cut && E.Type != 0 && T.type(E.Type).Index == 0)
    add(At, "type of a row", "a type record", std::to_string(E.Type));
  for (uint32_t First : {E.FirstRow, E.FirstAllocationLifetimes})
    for (uint32_t I = First; I != RowRef::kNone; I = T.Rows[I].Next)
      checkRow(T.Rows[I]);
}

void Checker::checkFrees() {
  std::unordered_map<uint32_t, RowTotals> Freed; // by site
  for (const trace::Freed &F : T.Frees) {
    Freed[F.Cell.Site].Frees += F.Cell.Frees;
    Freed[F.Cell.Site].FreedBytes += F.Cell.Bytes;
  }
  for (const Entry &E : T.Entries) // a site may have several entries
    if (const auto At = Freed.find(E.Site); At != Freed.end()) {
      At->second.Frees -= E.Totals.Frees;
      At->second.FreedBytes -= E.Totals.FreedBytes;
    }
  for (const auto &[Site, More] : Freed)
    if (static_cast<int64_t>(More.Frees) > 0 ||
        static_cast<int64_t>(More.FreedBytes) > 0)
      add(0, "frees of site " + std::to_string(Site) + " by who freed",
          "no more than by its rows",
          std::to_string(static_cast<int64_t>(More.Frees)) + " blocks and " +
              std::to_string(static_cast<int64_t>(More.FreedBytes)) +
              " bytes more");
}

void Checker::checkMapped() {
  // A running process changes one word at a time, so figures may disagree.
  if (!T.Sealed || T.Cut)
    return;
  uint64_t Calls = 0, Bytes = 0, Unmapped = 0;
  for (const MappedTotal &M : T.Mapped) {
    atMost(0, "unmapped within mapped bytes", M.UnmappedBytes, M.Bytes);
    atMost(0, "peak within mapped bytes", M.PeakBytes, M.Bytes);
    const uint64_t Sign = M.Site == kAllMapped ? 1 : ~uint64_t{0};
    Calls += Sign * M.Calls;
    Bytes += Sign * M.Bytes;
    Unmapped += Sign * M.UnmappedBytes;
  }
  if (Calls || Bytes || Unmapped)
    add(0, "mappings of all callers", "their sum",
        std::to_string(static_cast<int64_t>(Bytes)) + " bytes more");
}

void Checker::checkLive() {
  // Compares live blocks by rows with cells and totals. A cut file may lack
  // either; a sampled one weighs them differently.
  if (T.Cut || T.Live.empty() ||
      (T.Header.Flags & (kFlagSampledBytes | kFlagSampledEvery)))
    return;
  std::unordered_map<uint32_t, int64_t> ByType;
  int64_t All = 0;
  for (const Entry &E : T.Entries) {
    if (T.site(E.Site).inherited())
      continue;
    const auto Live = static_cast<int64_t>(
        E.Totals.Bytes - E.Totals.MovedOutBytes - E.Totals.FreedBytes);
    ByType[E.Type] += Live;
    if (T.site(E.Site).ofBlocks())
      All += Live;
  }
  for (size_t I = 0; I < T.Live.size(); ++I)
    if (T.Live[I].Live != ByType[static_cast<uint32_t>(I)])
      add(0, "live bytes of type " + std::to_string(I) + " by its cells",
          std::to_string(ByType[static_cast<uint32_t>(I)]) + " as by its rows",
          std::to_string(T.Live[I].Live));
  if (T.Process.Live != All)
    add(offsetof(FileHeader, LiveBytes), "live bytes of the process",
        std::to_string(All) + " as by its rows",
        std::to_string(T.Process.Live));
}

void Checker::checkSnapshots() {
  std::unordered_map<uint64_t, RowTotals> Last; // by site and type
  for (const Entry &E : T.Entries)
    Last[uint64_t{E.Site} << 32 | E.Type] = E.Totals;
  for (auto S = T.Snapshots.rbegin(); S != T.Snapshots.rend(); ++S)
    for (uint32_t I = 0; I < S->Header.Rows; ++I) {
      const uint64_t At = S->Rows + uint64_t{I} * sizeof(Row);
      const Row R = T.snapshotRow(*S, I);
      if (R.Site == 0)
        continue;
      const uint32_t Type = R.Type != 0 ? R.Type : T.site(R.Site).Type;
      RowTotals &After = Last[uint64_t{R.Site} << 32 | Type];
      atMost(At, "allocations in a snapshot", R.Allocations, After.Allocations);
      atMost(At, "bytes in a snapshot", R.Bytes, After.Bytes);
      atMost(At, "frees in a snapshot", R.Frees, After.Frees);
      atMost(At, "freed bytes in a snapshot", R.FreedBytes, After.FreedBytes);
      After = {};
      After.add(R);
    }
}

template <class Element, class Beginner, class Visitor>
void Checker::forEachMark(ExtentKind Kind, uint32_t Flag, const char *What,
                          Beginner Begin, Visitor Visit) {
  struct At {
    uint64_t Offset;
    Element Value;
  };
  std::map<uint64_t, std::vector<At>, std::greater<>> Marks;
  for (const Snapshot &S : T.Snapshots)
    if (!S.Now && (S.Header.Flags & Flag))
      Marks[S.Sequence]; // may stay empty
  for (const Extent &E : T.Extents) {
    if (E.Header.Kind != Kind)
      continue;
    for (uint64_t I = 0; I < E.Whole; ++I) {
      At One;
      One.Offset = E.Offset + sizeof(ExtentHeader) + I * sizeof(Element);
      if (!T.load(One.Offset, One.Value))
        break;
      const auto Known = std::any_of(
          T.Snapshots.begin(), T.Snapshots.end(), [&](const Snapshot &S) {
            return S.Sequence == One.Value.Snapshot && !S.Now &&
                   S.Header.Kind != SnapshotKind::Periodic;
          });
      if (Known)
        Marks[One.Value.Snapshot].push_back(One);
      else if (!T.Cut)
        add(One.Offset, std::string("snapshot of ") + What,
            "one of kind reset or manual", std::to_string(One.Value.Snapshot));
      if (!Known)
        break; // all its elements have the same snapshot
    }
  }
  for (const auto &[Sequence, Elements] : Marks) {
    Begin();
    for (const At &One : Elements)
      Visit(One.Offset, One.Value);
  }
}

namespace {

/// Compares counts at one mark with the next one's, or with those at the end.
template <class Key, class Figures> class Backwards {
public:
  void atEnd(const Key &K, const Figures &F) { Now[K] = F; }
  void begin() {
    Next = std::move(Now);
    Now.clear();
  }
  /// \returns figures at the next mark; zeros if nothing was counted.
  Figures next(const Key &K, const Figures &F) {
    Now[K] = F;
    const auto Found = Next.find(K);
    return Found == Next.end() ? Figures{} : Found->second;
  }

private:
  std::map<Key, Figures> Now, Next;
};

} // namespace

/// Checks that counts never decrease from mark to mark, nor exceed those at the
/// end.
void Checker::checkMarks() {
  Backwards<std::tuple<uint32_t, uint32_t, uint32_t>, MarkRow> Rows;
  const auto KeyOf = [&](const MarkRow &M) {
    return std::tuple(M.Thread, M.Site,
                      M.Type != 0 ? M.Type : T.site(M.Site).Type);
  };
  for (const MarkRow &M : T.rowsNow())
    Rows.atEnd(KeyOf(M), M);
  forEachMark<MarkRow>(
      ExtentKind::MarkRows, kSnapshotRows, "a row at a mark",
      [&] { Rows.begin(); },
      [&](uint64_t At, const MarkRow &M) {
        if (!T.Cut && T.site(M.Site).Id == 0)
          add(At, "site of a row at a mark", "a site record",
              std::to_string(M.Site));
        if (!T.Cut && M.Type != 0 && T.type(M.Type).Index == 0)
          add(At, "type of a row at a mark", "a type record",
              std::to_string(M.Type));
        if (!T.Cut && M.Thread != 0 && !T.Threads.contains(M.Thread))
          add(At, "thread of a row at a mark", "a thread record",
              std::to_string(M.Thread));
        const MarkRow Next = Rows.next(KeyOf(M), M);
        const auto Grows = [&](const char *What, auto Member) {
          atMost(At, What, M.*Member, Next.*Member);
        };
        Grows("allocations at a mark", &MarkRow::Allocations);
        Grows("bytes at a mark", &MarkRow::Bytes);
        Grows("frees at a mark", &MarkRow::Frees);
        Grows("freed bytes at a mark", &MarkRow::FreedBytes);
        Grows("temporary at a mark", &MarkRow::Temporary);
        Grows("reallocations at a mark", &MarkRow::Reallocations);
        Grows("blocks moved out at a mark", &MarkRow::MovedOut);
        Grows("bytes moved out at a mark", &MarkRow::MovedOutBytes);
      });
  Backwards<std::pair<uint32_t, uint32_t>, uint64_t> Objects;
  std::set<std::pair<uint32_t, uint32_t>> Described;
  for (const Object &O : T.Objects) {
    Objects.atEnd({O.Module, O.Cell}, O.Count / O.Times);
    Described.insert({O.Module, O.Cell});
  }
  forEachMark<MarkObject>(
      ExtentKind::MarkObjects, kSnapshotObjects, "objects at a mark",
      [&] { Objects.begin(); },
      [&](uint64_t At, const MarkObject &M) {
        const std::pair Key(M.Module, M.Cell);
        const uint64_t Next = Objects.next(Key, M.Count);
        if (Described.contains(Key))
          atMost(At, "objects at a mark", M.Count, Next);
        else if (!T.Cut)
          add(At, "counter of objects at a mark", "an object record",
              std::to_string(M.Module) + ':' + std::to_string(M.Cell));
      });
  const auto Positive = [](int64_t Value) {
    return static_cast<uint64_t>(std::max<int64_t>(Value, 0));
  };
  for (const Snapshot &S : T.Snapshots)
    if (!S.Now && (S.Header.Flags & kSnapshotPeaks))
      atMost(S.Offset, "peak before a mark",
             Positive(S.Header.PartPeakLiveBytes), Positive(T.Process.Peak));
  forEachMark<MarkPeak>(
      ExtentKind::MarkPeaks, kSnapshotPeaks, "a peak at a mark", [] {},
      [&](uint64_t At, const MarkPeak &M) {
        if (M.Type < T.Live.size())
          atMost(At, "peak of a type before a mark", Positive(M.PeakBytes),
                 Positive(T.Live[M.Type].Peak));
        else if (!T.Cut)
          add(At, "type of a peak at a mark",
              "below " + std::to_string(T.Live.size()), std::to_string(M.Type));
      });
}

/// Checks that events and rows, which are written side by side, agree.
void Checker::checkEvents() {
  if (!(T.Header.Flags & kFlagEvents))
    return;
  struct Totals {
    uint64_t Allocations, Bytes, Frees, FreedBytes, MovedOut, MovedOutBytes;
  };
  std::unordered_set<uint32_t> Traced; // threads with events
  for (const Extent &E : T.Extents)
    if (E.Header.Kind == ExtentKind::Events)
      Traced.insert(E.Header.Owner);
  std::vector<Totals> Sites(T.Sites.size());
  for (const auto &[Index, Unused] : T.Threads) {
    if (!Traced.contains(Index))
      continue;
    EventStream Stream(T, Index);
    for (Event E; Stream.next(E);) {
      if (E.Site >= Sites.size() || E.From >= Sites.size()) {
        if (!T.Cut)
          add(0, "site of an event", "below " + std::to_string(Sites.size()),
              std::to_string(std::max(E.Site, E.From)));
        return;
      }
      Totals &S = Sites[E.Site];
      if (E.Kind == EventKind::Free) {
        ++S.Frees;
        S.FreedBytes += E.Size;
        continue;
      }
      ++S.Allocations;
      S.Bytes += E.Size;
      if (E.Kind == EventKind::Retag) {
        ++Sites[E.From].MovedOut;
        Sites[E.From].MovedOutBytes += E.Size;
      }
    }
    if (Stream.damage())
      Out.push_back(*Stream.damage());
  }
  if (T.Cut || T.Header.DroppedEvents > 0)
    return;
  for (const Entry &E : T.Entries) {
    if (E.Site >= Sites.size())
      continue;
    Totals &S = Sites[E.Site]; // a site may have several entries
    S.Allocations -= E.Totals.Allocations;
    S.Bytes -= E.Totals.Bytes;
    S.Frees -= E.Totals.Frees;
    S.FreedBytes -= E.Totals.FreedBytes;
    S.MovedOut -= E.Totals.MovedOut;
    S.MovedOutBytes -= E.Totals.MovedOutBytes;
  }
  for (size_t I = 0; I < Sites.size(); ++I) {
    if (T.site(static_cast<uint32_t>(I)).inherited())
      continue; // its blocks predate the first event
    const Totals &S = Sites[I];
    const auto Equal = [&](const char *What, uint64_t Difference) {
      if (Difference != 0)
        add(0,
            What + std::string(" of site ") + std::to_string(I) +
                " by its events",
            "as by its rows",
            std::to_string(static_cast<int64_t>(Difference)) + " more");
    };
    Equal("allocations", S.Allocations);
    Equal("bytes", S.Bytes);
    Equal("frees", S.Frees);
    Equal("freed bytes", S.FreedBytes);
    Equal("blocks moved out", S.MovedOut);
    Equal("bytes moved out", S.MovedOutBytes);
  }
}

std::vector<Diagnostic> Checker::run() {
  for (const Entry &E : T.Entries)
    checkEntry(E);
  checkFrees();
  checkMapped();
  checkLive();
  checkSnapshots();
  checkMarks();
  checkEvents();
  return std::move(Out);
}

} // namespace

std::vector<Diagnostic> verify(const Trace &T) { return Checker(T).run(); }

} // namespace inmem::trace
