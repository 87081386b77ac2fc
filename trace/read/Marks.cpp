//===- Marks.cpp - Counts at a snapshot -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/Trace.h"

#include <algorithm>

namespace inmem::trace {

/// Elements of these kinds begin with the snapshot that they are about.
void Trace::indexMarks() {
  for (size_t I = 0; I < Extents.size(); ++I) {
    const Extent &E = Extents[I];
    const ExtentKind Kind = E.Header.Kind;
    decltype(MarkRow::Snapshot) Snapshot;
    if ((Kind == ExtentKind::MarkRows || Kind == ExtentKind::MarkObjects ||
         Kind == ExtentKind::MarkPeaks) &&
        E.Whole > 0 && load(E.Offset + sizeof(ExtentHeader), Snapshot))
      MarkExtents.push_back({Kind, Snapshot, I});
  }
  std::sort(MarkExtents.begin(), MarkExtents.end());
}

std::span<const Trace::MarkExtent> Trace::marks(ExtentKind Kind, uint64_t First,
                                                uint64_t Last) const {
  const auto Begin = std::lower_bound(MarkExtents.begin(), MarkExtents.end(),
                                      MarkExtent{Kind, First, 0});
  const auto Behind = std::upper_bound(Begin, MarkExtents.end(),
                                       MarkExtent{Kind, Last, ~size_t{0}});
  return {Begin, Behind};
}

template <class Element>
std::vector<Element> Trace::elementsAt(ExtentKind Kind,
                                       const Snapshot &S) const {
  std::vector<Element> Out;
  for (const MarkExtent &Mark : marks(Kind, S.Sequence, S.Sequence)) {
    const Extent &E = Extents[Mark.Extent];
    const uint64_t Begin = E.Offset + sizeof(ExtentHeader);
    Element One;
    // All of an extent is of one snapshot.
    for (uint64_t I = 0; I < E.Whole; ++I) {
      if (!load(Begin + I * sizeof One, One) || One.Snapshot != S.Sequence)
        break;
      Out.push_back(One);
    }
  }
  return Out;
}

std::optional<std::vector<MarkRow>> Trace::rowsAt(const Snapshot &S) const {
  if (!S.Now)
    return S.Header.Flags & kSnapshotRows
               ? std::optional(elementsAt<MarkRow>(ExtentKind::MarkRows, S))
               : std::nullopt;
  return rowsNow();
}

std::vector<MarkRow> Trace::rowsNow() const {
  std::vector<MarkRow> Out;
  for (const Entry &E : Entries)
    for (uint32_t I = E.FirstRow; I != RowRef::kNone; I = Rows[I].Next) {
      const Row R = row(Rows[I]);
      Out.push_back({0, Rows[I].Thread, E.Site, E.Type, R.Allocations, R.Bytes,
                     R.Frees, R.FreedBytes, R.Temporary, R.Reallocations,
                     R.MovedOut, R.MovedOutBytes, R.WeightedAllocations,
                     R.WeightedBytes, R.WeightedFrees, R.WeightedFreedBytes});
    }
  return Out;
}

std::optional<std::vector<uint64_t>> Trace::objectsAt(const Snapshot &S) const {
  std::vector<uint64_t> Out;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> Counts;
  if (!S.Now) {
    if (!(S.Header.Flags & kSnapshotObjects))
      return std::nullopt;
    for (const MarkObject &M :
         elementsAt<MarkObject>(ExtentKind::MarkObjects, S))
      Counts[{M.Module, M.Cell}] += M.Count;
  }
  for (const Object &O : Objects) {
    const auto At = Counts.find({O.Module, O.Cell});
    Out.push_back(S.Now                ? O.Count
                  : At == Counts.end() ? 0
                                       : At->second * O.Times);
  }
  return Out;
}

std::optional<PartPeaks> Trace::peaksBetween(const Snapshot *From,
                                             const Snapshot *To) const {
  for (const Snapshot *S : {From, To})
    if (S && !S->Now && !(S->Header.Flags & kSnapshotPeaks))
      return std::nullopt;
  PartPeaks Out;
  Out.Types.resize(Live.size());
  const uint64_t First = From ? From->Sequence : 0;
  const uint64_t Last = To && !To->Now ? To->Sequence : ~uint64_t{0};
  // A mark has what was highest since the mark before it.
  for (auto S =
           std::ranges::upper_bound(Snapshots, First, {}, &Snapshot::Sequence);
       S != Snapshots.end() && S->Sequence <= Last; ++S)
    if (!S->Now && (S->Header.Flags & kSnapshotPeaks))
      Out.Process = std::max(Out.Process, S->Header.PartPeakLiveBytes);
  for (const MarkExtent &Mark : marks(ExtentKind::MarkPeaks, First + 1, Last)) {
    const Extent &E = Extents[Mark.Extent];
    const uint64_t Begin = E.Offset + sizeof(ExtentHeader);
    MarkPeak M;
    for (uint64_t I = 0; I < E.Whole && load(Begin + I * sizeof M, M); ++I)
      if (M.Type < Out.Types.size())
        Out.Types[M.Type] = std::max(Out.Types[M.Type], M.PeakBytes);
  }
  if (To && !To->Now)
    return Out;
  // The rest: an order that waits divides it where nothing happens any more.
  const bool Ended = From && From->Now;
  const auto Rest = [&](const TypeLive &Of) {
    return Ended ? Of.Live : Of.PeakSinceMark;
  };
  Out.Process = std::max(Out.Process, Rest(Process));
  for (size_t I = 0; I < Live.size(); ++I)
    Out.Types[I] = std::max(Out.Types[I], Rest(Live[I]));
  return Out;
}

} // namespace inmem::trace
