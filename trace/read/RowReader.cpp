//===- RowReader.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/RowReader.h"

#include "trace/read/ExtentIndex.h"
#include "trace/read/RecordReader.h"

#include <limits>

namespace inmem::trace {

/// The sum, or the nearest value of the type.
template <class T> static T saturatingAdd(T A, T B) {
  T Out;
  if (__builtin_add_overflow(A, B, &Out))
    return B > 0 ? std::numeric_limits<T>::max()
                 : std::numeric_limits<T>::min();
  return Out;
}

void RowReader::readTotals() {
  readLive();
  readCounters();
}

void RowReader::readLists() {
  readPeak();
  readPeakNotes();
  readFrees();
  readMapped();
}

/// Marks the row's blocks of lifetimes as taken, because no two rows may share
/// one.
bool RowReader::takeOctaves(uint64_t At, const Row &R,
                            std::vector<bool> &Taken) {
  for (const uint32_t O : R.Octaves) {
    if (O == 0 || O >= Taken.size())
      continue; // reported by Trace::addBuckets
    if (Taken[O]) {
      Report.damage(At, "lifetimes of a row", "a block of its own",
                    text(O * 64ull));
      return false;
    }
    Taken[O] = true;
  }
  return true;
}

/// Calls \p Visit with each row of a kind of extent, its location and its
/// entry.
template <class Function>
void RowReader::forEachRow(ExtentKind Kind, Function Visit) {
  for (const Extent &E : Out.Extents) {
    if (E.Header.Kind != Kind)
      continue;
    for (uint64_t I = 0; I < E.Whole; ++I) {
      const uint64_t At = E.Offset + sizeof(ExtentHeader) + I * sizeof(Row);
      Row R;
      if (!Out.load(At, R))
        break;
      if (R.Site == 0)
        continue; // Claimed, not yet filled in.
      if (R.Site >= kMaxSites) {
        Report.damage(At, "site of a row", "below " + text(kMaxSites),
                      text(R.Site));
        continue;
      }
      const uint32_t TypeIndex = R.Type != 0 ? R.Type : Out.site(R.Site).Type;
      const uint64_t Key = uint64_t{R.Site} << 32 | TypeIndex;
      const auto [Where, New] =
          EntryOf.try_emplace(Key, static_cast<uint32_t>(Out.Entries.size()));
      if (New)
        Out.Entries.push_back({R.Site, TypeIndex, RowRef::kNone, {}});
      Visit(R, RowRef{At, E.Header.Owner}, Out.Entries[Where->second]);
    }
    Out.File->haveRead(E.Offset, E.Header.Bytes);
  }
}

void RowReader::readRows() {
  std::vector<bool> Taken((Out.End - Out.Base) / 64 +
                          1); // used by Row::Octaves
  const auto Chain = [&](const Row &R, RowRef Ref, uint32_t &First) {
    if (!takeOctaves(Ref.Offset, R, Taken))
      Out.SharedLifetimes.push_back(Ref.Offset);
    Ref.Next = First;
    First = static_cast<uint32_t>(Out.Rows.size());
    Out.Rows.push_back(Ref);
  };
  forEachRow(ExtentKind::Rows, [&](const Row &R, RowRef Ref, Entry &Mine) {
    Chain(R, Ref, Mine.FirstRow);
    Mine.Totals.add(R);
    if (Ref.Thread == 0)
      return; // inherited blocks belong to no thread
    Thread &T = Out.Threads[Ref.Thread];
    T.Index = Ref.Thread;
    if (Out.site(R.Site).ofBlocks())
      T.Totals.add(R);
  });
  forEachRow(ExtentKind::AllocationLifetimes,
             [&](const Row &R, RowRef Ref, Entry &Mine) {
               Chain(R, Ref, Mine.FirstAllocationLifetimes);
             });
  std::sort(Out.SharedLifetimes.begin(), Out.SharedLifetimes.end());
  std::sort(Out.Entries.begin(), Out.Entries.end(),
            [](const Entry &A, const Entry &B) {
              return std::pair(A.Site, A.Type) < std::pair(B.Site, B.Type);
            });
}

void RowReader::readLive() {
  struct Pending {
    int64_t Delta = 0, High = 0;
    void add(const Cell &C) {
      const int64_t Owed = owedBy(C.Limit);
      Delta = saturatingAdd(Delta, saturatingAdd(C.Delta, -Owed));
      High = std::max(High, saturatingAdd(C.High, -Owed));
    }
  };
  std::vector<TypeTotal> Totals;
  for (const Extent &E : inSequence(Out, ExtentKind::Types))
    for (uint64_t I = 0; I < E.Whole; ++I) {
      TypeTotal T;
      if (Out.load(E.Offset + sizeof(ExtentHeader) + I * sizeof T, T))
        Totals.push_back(T);
    }
  // A cut file may lack totals of types that it describes.
  std::vector<Pending> ByType(std::max(Totals.size(), Out.Types.size()));
  Pending Process;
  uint64_t Last = 0;
  for (const Extent &E : Out.Extents) {
    if (E.Header.Kind != ExtentKind::Cells)
      continue;
    Last = std::max(Last, E.Header.LastTicks);
    for (uint64_t I = 0; I < E.Whole; ++I) {
      const uint64_t At = E.Offset + sizeof(ExtentHeader) + I * sizeof(Cell);
      Cell C;
      if (!Out.load(At, C))
        break;
      if (C.Type == kProcessCell)
        Process.add(C);
      else if (C.Type < ByType.size())
        ByType[C.Type].add(C);
      else if ((C.Delta != 0 || C.High != 0) && !Out.Cut)
        Report.damage(At, "type of a cell", "below " + text(ByType.size()),
                      text(C.Type));
    }
  }
  const auto Combine = [](int64_t Live, int64_t Peak, int64_t Earlier,
                          const Pending &P) {
    TypeLive Both;
    Both.Live = saturatingAdd(Live, P.Delta);
    Both.PeakSinceMark =
        std::max({Peak, saturatingAdd(Live, P.High), Both.Live});
    Both.Peak = std::max(Both.PeakSinceMark, Earlier);
    return Both;
  };
  Out.Live.resize(Totals.size());
  ByType.resize(Totals.size());
  for (size_t I = 0; I < Totals.size(); ++I)
    Out.Live[I] = Combine(Totals[I].Live, Totals[I].Peak, Totals[I].EarlierPeak,
                          ByType[I]);
  Out.Process = Combine(Out.Header.LiveBytes, Out.Header.PeakLiveBytes,
                        Out.Header.EarlierPeakLiveBytes, Process);
  // A process that was killed wrote its header long before, so use the threads'
  // times.
  if (Last <= UINT64_MAX >> Out.Header.TickShift)
    Out.Header.LastTicks =
        std::max(Out.Header.LastTicks, Last << Out.Header.TickShift);
}

void RowReader::readCounters() {
  const auto Counts = Out.objectsOf([](uint32_t) { return true; });
  for (size_t I = 0; I < Out.Objects.size(); ++I)
    Out.Objects[I].Count = Counts[I];
}

void RowReader::readPeak() {
  for (const Extent &E : inSequence(Out, ExtentKind::Peak)) {
    if (E.Whole == 0)
      continue;
    Out.AtPeak.clear();
    for (uint64_t I = 0; I < E.Whole; ++I) {
      PeakEntry P;
      if (Out.load(E.Offset + sizeof(ExtentHeader) + I * sizeof P, P) &&
          P.LiveBytes > 0)
        Out.AtPeak[P.Site] = static_cast<uint64_t>(P.LiveBytes);
    }
  }
}

void RowReader::readPeakNotes() {
  for (size_t I = 0; I < Out.Extents.size(); ++I) {
    const Extent &E = Out.Extents[I];
    PeakRow First;
    if (E.Header.Kind == ExtentKind::PeakRows && E.Whole > 0 &&
        Out.load(E.Offset + sizeof(ExtentHeader), First) && First.Site == 0)
      Out.PeakNotes.push_back(
          {First.Order, First.Allocations != 0, First.Bytes, I});
  }
  std::ranges::sort(Out.PeakNotes, {}, &PeakNote::Order);
}

void RowReader::readMapped() {
  for (const Extent &E : inSequence(Out, ExtentKind::Mapped))
    for (uint64_t I = 0; I < E.Whole; ++I) {
      MappedTotal M;
      const uint64_t At = E.Offset + sizeof(ExtentHeader) + I * sizeof M;
      if (!Out.load(At, M))
        continue;
      if (M.Site != kAllMapped && M.Site >= kMaxSites)
        Report.damage(At, "site of mappings", "below " + text(kMaxSites),
                      text(M.Site));
      else
        Out.Mapped.push_back(M);
    }
}

void RowReader::readFrees() {
  for (const Extent &E : Out.Extents) {
    if (E.Header.Kind != ExtentKind::Frees)
      continue;
    for (uint64_t I = 0; I < E.Whole; ++I) {
      Freed F;
      if (Out.load(E.Offset + sizeof(ExtentHeader) + I * sizeof F.Cell,
                   F.Cell) &&
          F.Cell.Site != 0)
        Out.Frees.push_back({F.Cell, E.Header.Owner});
    }
  }
}

} // namespace inmem::trace
