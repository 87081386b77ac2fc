//===- Trace.cpp - Parts that are read on demand --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/Trace.h"

#include "trace/format/Checksum.h"
#include "trace/format/VarintFormat.h"

#include <algorithm>
#include <cstring>

namespace inmem::trace {

Trace::Trace() = default;
Trace::~Trace() = default;
Trace::Trace(const Trace &) = default;
Trace::Trace(Trace &&) noexcept = default;
Trace &Trace::operator=(const Trace &) = default;
Trace &Trace::operator=(Trace &&) noexcept = default;

bool Trace::damaged() const {
  return std::any_of(Diagnostics.begin(), Diagnostics.end(),
                     [](const Diagnostic &F) {
                       return F.Severity == Diagnostic::Level::Damage;
                     });
}

std::optional<std::string_view> Trace::string(uint64_t Record, uint32_t Bytes,
                                              StringOffset String) const {
  const auto All = File->bytes();
  if (Record > All.size() || Bytes > All.size() - Record || String >= Bytes)
    return std::nullopt;
  const char *Begin =
      reinterpret_cast<const char *>(All.data() + Record) + String;
  const size_t Length = strnlen(Begin, Bytes - String);
  if (Length == Bytes - String)
    return std::nullopt;
  return std::string_view(Begin, Length);
}

std::vector<Frame> Trace::framesAt(uint64_t Record, uint32_t Frames,
                                   uint32_t Count) const {
  std::vector<Frame> Out;
  RecordHeader H;
  if (Count == 0 || !load(Record, H))
    return Out;
  for (uint32_t I = 0; I < Count; ++I) {
    FrameRecord R;
    if (!load(Record + Frames + uint64_t{I} * sizeof R, R))
      break;
    const auto Text = [&](StringOffset O) {
      return O == 0 ? std::string_view()
                    : string(Record, H.Bytes, O).value_or("");
    };
    Out.push_back({Text(R.Function), Text(R.File), R.Line, R.Column,
                   (R.Flags & INMEM_FRAME_PASSED) != 0});
  }
  return Out;
}

std::vector<Frame> Trace::frames(const Site &S) const {
  return framesAt(S.Record, S.Frames, S.FrameCount);
}

std::vector<Field> Trace::fields(const Type &T) const {
  std::vector<Field> Out;
  RecordHeader H;
  if (T.FieldCount == 0 || !load(T.Record, H))
    return Out;
  for (uint32_t I = 0; I < T.FieldCount; ++I) {
    FieldRecord R;
    if (!load(T.Record + T.Fields + uint64_t{I} * sizeof R, R))
      break;
    const auto Text = [&](StringOffset O) {
      return O == 0 ? std::string_view()
                    : string(T.Record, H.Bytes, O).value_or("");
    };
    Out.push_back({R.TypeId, R.Offset, R.Size, Text(R.Name), Text(R.TypeName),
                   R.Kind, R.Bit});
  }
  return Out;
}

bool Trace::checksumHolds(const Extent &E) const {
  const auto All = File->bytes();
  const uint64_t Payload = E.Offset + sizeof(ExtentHeader);
  const bool HasOne = Sealed || (E.Header.Flags & kExtentFinal);
  if (!HasOne || E.Header.Bytes > All.size() - E.Offset)
    return true;
  return checksumOf(E.Header, All.data() + Payload) == E.Header.Checksum;
}

Row Trace::row(const RowRef &Ref) const {
  Row R{};
  load(Ref.Offset, R);
  return R;
}

static void addOctave(const Octave &Block, unsigned O, Buckets &Out) {
  for (unsigned B = 0; B < kBucketsPerOctave; ++B) {
    Buckets::Cell &Cell = Out.Cells[O * kBucketsPerOctave + B];
    Cell.Count += Block.Buckets[B].Count;
    Cell.Bytes += Block.Buckets[B].Bytes;
  }
}

bool Trace::addBuckets(const RowRef &Ref, Buckets &Out) const {
  if (std::binary_search(SharedLifetimes.begin(), SharedLifetimes.end(),
                         Ref.Offset))
    return false;
  const Row R = row(Ref);
  bool Whole = true;
  for (unsigned O = 0; O < kOctaves; ++O) {
    if (R.Octaves[O] == 0)
      continue;
    // Offsets count from the start of this process's part of the file.
    const uint64_t At = Base + uint64_t{R.Octaves[O]} * 64;
    const auto Behind =
        std::upper_bound(OctaveRanges.begin(), OctaveRanges.end(), At,
                         [](uint64_t Offset, const OctaveRange &Some) {
                           return Offset < Some.Begin;
                         });
    const OctaveRange *Range =
        Behind == OctaveRanges.begin() ? nullptr : &*std::prev(Behind);
    Octave Block;
    if (!Range || At >= Range->End ||
        (At - Range->Begin) % sizeof(Octave) != 0 ||
        Range->Owner != Ref.Thread || !load(At, Block)) {
      Whole = false;
      continue;
    }
    addOctave(Block, O, Out);
  }
  return Whole;
}

RowTotals Trace::allocationLifetimes(const Entry &E, Buckets &Out) const {
  RowTotals Sum;
  for (uint32_t I = E.FirstAllocationLifetimes; I != RowRef::kNone;
       I = Rows[I].Next) {
    Sum.add(row(Rows[I]));
    addBuckets(Rows[I], Out);
  }
  return Sum;
}

Buckets Trace::buckets(const Entry &E) const {
  Buckets Out;
  for (uint32_t I = E.FirstRow; I != RowRef::kNone; I = Rows[I].Next)
    addBuckets(Rows[I], Out);
  return Out;
}

Row Trace::snapshotRow(const Snapshot &S, uint32_t I, Buckets *Out) const {
  Row R{};
  if (S.Now) {
    if (Out)
      *Out = buckets(Entries[I]);
    R = Entries[I].Totals.row();
    R.Site = Entries[I].Site;
    R.Type = Entries[I].Type;
    return R;
  }
  if (I >= S.Header.Rows || !load(S.Rows + uint64_t{I} * sizeof R, R) || !Out)
    return R;
  for (unsigned O = 0; O < kOctaves; ++O) {
    const uint32_t Index = R.Octaves[O];
    Octave Block;
    if (Index != 0 && Index <= S.Header.OctaveBlocks &&
        load(S.Octaves + uint64_t{Index - 1} * sizeof Block, Block))
      addOctave(Block, O, *Out);
  }
  return R;
}

std::vector<uint64_t>
Trace::objectsOf(const std::function<bool(uint32_t)> &Wanted) const {
  std::vector<Extent> InOrder;
  for (const Extent &E : Extents)
    if (E.Header.Kind == ExtentKind::Counters && Wanted(E.Header.Owner))
      InOrder.push_back(E);
  std::sort(InOrder.begin(), InOrder.end(), comesBefore);
  // Cells of one module and thread continue from extent to extent.
  std::map<uint32_t, std::vector<uint64_t>> Sums;       // by module
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> At; // (module, thread)
  for (const Extent &E : InOrder) {
    uint64_t &First = At[{E.Header.Module, E.Header.Owner}];
    std::vector<uint64_t> &Sum = Sums[E.Header.Module];
    if (Sum.size() < First + E.Whole)
      Sum.resize(First + E.Whole);
    for (uint64_t I = 0; I < E.Whole; ++I) {
      uint64_t Count = 0;
      if (load(E.Offset + sizeof(ExtentHeader) + I * sizeof Count, Count))
        Sum[First + I] += Count;
    }
    First += E.Whole;
  }
  std::vector<uint64_t> Out;
  for (const Object &O : Objects) {
    const auto Sum = Sums.find(O.Module);
    Out.push_back(Sum != Sums.end() && O.Cell < Sum->second.size()
                      ? Sum->second[O.Cell] * O.Times
                      : 0);
  }
  return Out;
}

const Snapshot *Trace::lastReset() const {
  for (auto S = Snapshots.rbegin(); S != Snapshots.rend(); ++S)
    if (S->Header.Kind == SnapshotKind::Reset)
      return &*S;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

EventStream::EventStream(const Trace &From, uint32_t Thread)
    : Source(From), Pairs(kPairSlots) {
  for (const Extent &E : Source.Extents)
    if (E.Header.Kind == ExtentKind::Events && E.Header.Owner == Thread)
      Parts.push_back(E);
  std::sort(Parts.begin(), Parts.end(), comesBefore);
}

bool EventStream::fail(const char *Expected) {
  Diagnostic F;
  F.Severity = Diagnostic::Level::Damage;
  F.Offset = At;
  F.What = "event of a thread";
  F.Expected = Expected;
  Damage = std::move(F);
  Part = Parts.size();
  PartEnd = At;
  return false;
}

bool EventStream::varint(uint64_t &Out) {
  return takeVarint(Out, [this, Bytes = Source.File->bytes()](uint8_t &Byte) {
    if (At >= PartEnd)
      return false;
    Byte = std::to_integer<uint8_t>(Bytes[At++]);
    return true;
  });
}

bool EventStream::next(Event &Out) {
  while (At >= PartEnd) {
    Source.File->haveRead(Released, At - Released);
    if (Part >= Parts.size())
      return false;
    const Extent &E = Parts[Part++];
    Source.File->willRead(E.Offset, E.Header.Bytes);
    Released = E.Offset;
    At = E.Offset + sizeof(ExtentHeader);
    if (!Source.checksumHolds(E)) {
      At = E.Offset;
      return fail("bytes that have the checksum of their extent");
    }
    PartEnd = At + E.Whole;
  }
  if (At - Released > kPiece) {
    Source.File->haveRead(Released, kPiece);
    Released += kPiece;
  }
  const uint64_t Start = At;
  // The last extent of a cut file may end within an event.
  const bool MayBeCut = Source.Cut && Part == Parts.size();
  const auto Bad = [&](const char *Expected) {
    if (MayBeCut && At >= PartEnd) {
      Part = Parts.size();
      return false;
    }
    At = Start;
    return fail(Expected);
  };
  Out = {};
  if (PartEnd - At < 2) {
    At = PartEnd;
    return Bad("a word of two bytes");
  }
  const auto Bytes = Source.File->bytes();
  const unsigned Word = std::to_integer<unsigned>(Bytes[At]) |
                        std::to_integer<unsigned>(Bytes[At + 1]) << 8;
  At += 2;
  const unsigned Kind = Word >> kEventKindShift & kEventKindMask;
  if (Kind > 2 || Word >> 15 != 0)
    return Bad("a word of kind 0 to 2 with bit 15 clear");
  Out.Kind = static_cast<EventKind>(Kind);
  Pair &ThePair = Pairs[Word % kPairSlots];
  uint64_t Site = ThePair.Site, Delta = 0, From = 0;
  if (Word & kNewPair) {
    if (!varint(Site))
      return Bad("a varint, the site");
    if (!varint(ThePair.Size))
      return Bad("a varint, the size");
  }
  Out.Clocked = (Word & kClocked) != 0;
  if (Out.Clocked && !varint(Delta))
    return Bad("a varint, the time");
  Out.Timed = (Word & kHasLifetime) != 0;
  if (Out.Timed && !varint(Out.Lifetime))
    return Bad("a varint, the lifetime");
  if (Out.Kind == EventKind::Retag && !varint(From))
    return Bad("a varint, the site before");
  if (Site >= (uint64_t{1} << 32) || From >= (uint64_t{1} << 32))
    return Bad("a site below 2^32");
  if (Site == 0)
    return Bad("a slot that an event before has filled");
  ThePair.Site = static_cast<uint32_t>(Site);
  Ticks += Delta;
  Out.Site = ThePair.Site;
  Out.From = static_cast<uint32_t>(From);
  Out.Size = ThePair.Size;
  Out.Ticks = Ticks;
  return true;
}

std::vector<std::pair<std::string_view, std::string_view>>
Trace::labels() const {
  std::vector<std::pair<std::string_view, std::string_view>> Out;
  for (const Note &N : Notes) {
    std::string_view Rest =
        N.Kind == NoteKind::Labels ? N.Text : std::string_view();
    while (!Rest.empty()) {
      const size_t Comma = std::min(Rest.find(','), Rest.size());
      const std::string_view One = Rest.substr(0, Comma);
      const size_t Equals = One.find('=');
      if (Equals != std::string_view::npos && Equals > 0)
        Out.emplace_back(One.substr(0, Equals), One.substr(Equals + 1));
      Rest.remove_prefix(std::min(Comma + 1, Rest.size()));
    }
  }
  return Out;
}

std::vector<PeakRow> Trace::rowsOf(const PeakNote &Note) const {
  const Extent &E = Extents[Note.Extent];
  std::vector<PeakRow> Found;
  PeakRow One;
  for (uint64_t I = 1; I < E.Whole; ++I)
    if (load(E.Offset + sizeof(ExtentHeader) + I * sizeof One, One))
      Found.push_back(One);
  std::ranges::sort(Found, {}, &PeakRow::Site);
  return Found;
}

//===----------------------------------------------------------------------===//
// Counts at a snapshot
//===----------------------------------------------------------------------===//

/// Elements of these kinds begin with the snapshot to which they belong.
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
    // All elements of an extent belong to one snapshot.
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
  // A mark has the peaks since the previous mark.
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
  // The part after the last mark. After a pending command nothing happens any
  // more, so the live bytes are its peak.
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
