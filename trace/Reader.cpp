//===- Reader.cpp - Extents and records to a Trace ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reader.h"
#include "ReadThreads.h"

#include "Checksum.h"
#include "Process.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <unordered_map>

namespace inmem::trace {

namespace {

constexpr size_t kMaxFindings = 1000;
constexpr uint32_t kMaxSites = 1u << 20;
constexpr uint32_t kDeepestStack = 1024; // more than INMEM_OPTIONS allows

std::string text(uint64_t Value) { return std::to_string(Value); }

std::string hex(uint64_t Value) {
  char Digits[16];
  const auto End = std::to_chars(Digits, Digits + sizeof Digits, Value, 16);
  return "0x" + std::string(Digits, End.ptr);
}

/// The header of an extent that its writer wrote as it is.
bool isIntact(const ExtentHeader &E) {
  return E.Magic == kExtentMagic && E.Bytes >= kExtentAlign &&
         E.Bytes % kExtentAlign == 0 && E.Identity == identityOf(E);
}

/// A char array of a header up to its NUL.
template <size_t N>
std::string_view fixedString(std::span<const std::byte> Bytes, uint64_t At) {
  if (At + N > Bytes.size())
    return {};
  const char *Begin = reinterpret_cast<const char *>(Bytes.data() + At);
  return {Begin, strnlen(Begin, N)};
}

} // namespace

/// Builds one Trace. Stages: extents, records, then everything that refers to
/// records.
class ProcessReader {
public:
  explicit ProcessReader(Trace &Into) : Out(Into), Bytes(Into.File->bytes()) {}

  Status read();

private:
  void find(Finding::Level Level, uint64_t Offset, std::string What,
            std::string Expected = {}, std::string Found = {}) {
    // In proportion to what was read, or many small processes take much.
    const uint64_t Most = 10 + (Offset - std::min(Offset, Out.Base)) / 512;
    if (Out.Findings.size() >= std::min<uint64_t>(kMaxFindings, Most))
      ++Out.FindingsLeftOut;
    else
      Out.Findings.push_back({Level, Offset, std::move(What),
                              std::move(Expected), std::move(Found)});
  }
  void damage(uint64_t Offset, std::string What, std::string Expected = {},
              std::string Found = {}) {
    find(Finding::Level::Damage, Offset, std::move(What), std::move(Expected),
         std::move(Found));
  }

  Status header();
  void readSeal();
  void walkExtents();
  bool atEnd(const ExtentHeader &E) const;
  uint64_t nextIntact(uint64_t From) const;
  void countWhole(Extent &E, uint64_t Available);
  void keep(const Extent &E, uint64_t Available);
  void readMeta(const Extent &E);
  void readRecord(uint64_t At, const RecordHeader &H);
  void readStackRecord(uint64_t At, const RecordHeader &H);
  /// Loads a record that gives an id to a site; null if it does not.
  template <class Record>
  Site *siteRecord(uint64_t At, const RecordHeader &H, Record &R) {
    if (!loadRecord(At, H, R))
      return nullptr;
    return slot(
        Out.Sites, At, R.Id,
        std::min<uint64_t>(kMaxSites - 1, (Out.End - Out.Base) / sizeof R),
        "id of a site");
  }
  bool isKnownAddress(uint64_t At, uint32_t Address);
  template <class T>
  bool loadRecord(uint64_t At, const RecordHeader &H, T &Record);
  std::string_view stringOf(uint64_t At, const RecordHeader &H, StringOffset O);
  bool arrayFits(uint64_t At, const RecordHeader &H, uint32_t Offset,
                 uint64_t Count, uint64_t Size, const char *What);
  template <class Child>
  bool stringsFit(uint64_t At, const RecordHeader &H, uint32_t Offset,
                  uint32_t Count);
  template <class T>
  T *slot(std::vector<T> &Table, uint64_t At, uint32_t Index, uint64_t Max,
          const char *What);
  bool takeOctaves(uint64_t At, const Row &R, std::vector<bool> &Taken);
  void readRows();
  template <class Function> void forEachRow(ExtentKind Kind, Function Visit);
  void readLive();
  void readCounters();
  void readSnapshots();
  void readPeak();
  void readFrees();
  void readOrders();
  std::vector<Extent> inSequence(ExtentKind Kind) const;

  std::unordered_map<uint64_t, uint32_t> EntryOf; ///< (site, type) -> entry
  Trace &Out;
  std::span<const std::byte> Bytes;
  /// Where the process's part of the file ends at the latest; exactly there
  /// if its header's checksum holds.
  uint64_t Limit = 0;
  bool HasLimit = false;
};

Status ProcessReader::header() {
  const std::string &Name = Out.fileName();
  const uint64_t Size = Bytes.size() - Out.Base;
  const auto Head = Bytes.subspan(Out.Base);
  const size_t Compared = std::min<size_t>(Size, sizeof kMagic);
  if (Size == 0)
    return Status::at(Name, Out.Base, "trace header", "an inmem trace",
                      "an empty file");
  if (std::memcmp(Head.data(), kMagic, Compared) != 0) {
    std::string Found;
    for (size_t I = 0; I < Compared; ++I) {
      constexpr char kHex[] = "0123456789abcdef";
      const auto Byte = std::to_integer<unsigned>(Head[I]);
      Found += kHex[Byte >> 4];
      Found += kHex[Byte & 15];
    }
    return Status::at(Name, Out.Base, "magic of a trace",
                      "696e6d656d0d0a1a (\"inmem\")", Found);
  }
  if (!Out.load(Out.Base, Out.Header))
    return Status::at(Name, Out.Base, "trace header",
                      text(sizeof(FileHeader)) + " bytes",
                      text(Size) + " bytes");
  const FileHeader &H = Out.Header;
  const uint64_t B = Out.Base;
  if (H.Version != kVersion)
    return Status::at(Name, B + offsetof(FileHeader, Version),
                      "version of the trace format", text(kVersion),
                      text(H.Version));
  if (H.HeaderBytes != kHeaderBytes)
    return Status::at(Name, B + offsetof(FileHeader, HeaderBytes),
                      "size of the header", text(kHeaderBytes),
                      text(H.HeaderBytes));
  const auto State = static_cast<uint32_t>(H.State);
  if (State < 1 || State > 3)
    return Status::at(Name, B + offsetof(FileHeader, State),
                      "state of the process", "1 to 3", text(State));
  const auto Clock = static_cast<uint32_t>(H.Clock);
  if (Clock > 2)
    return Status::at(Name, B + offsetof(FileHeader, Clock), "clock", "0 to 2",
                      text(Clock));
  if (H.TickShift > 20)
    return Status::at(Name, B + offsetof(FileHeader, TickShift), "tick shift",
                      "0 to 20", text(H.TickShift));
  if (H.Clock != ClockKind::Events &&
      (H.TicksPerSecond == 0 || H.TicksPerSecond > 1'000'000'000'000u))
    return Status::at(Name, B + offsetof(FileHeader, TicksPerSecond),
                      "ticks per second", "1 to 1000000000000",
                      text(H.TicksPerSecond));
  Out.Host = fixedString<sizeof H.Host>(Bytes, B + offsetof(FileHeader, Host));
  Out.Executable = fixedString<sizeof H.Executable>(
      Bytes, B + offsetof(FileHeader, Executable));
  return {};
}

Status ProcessReader::read() {
  Out.Types.resize(1);
  Out.Sites.resize(1);
  Out.Modules.resize(1);
  Out.Addresses.resize(1);
  Out.Stacks.resize(1);
  if (Status S = header(); !S.ok())
    return S;
  Out.Cut = Out.Header.Flags & kFlagCut;
  readSeal();
  walkExtents();
  for (const Extent &E : inSequence(ExtentKind::Meta))
    readMeta(E);
  readRows();
  readThreads(Out);
  readLive();
  readCounters();
  readSnapshots();
  Out.indexMarks();
  readPeak();
  readFrees();
  readOrders();
  return {};
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

void ProcessReader::readSeal() {
  Limit = Bytes.size();
  const uint64_t At = Out.Base + kSealOffset;
  uint64_t Seal = 0;
  if (!Out.load(At, Seal) || Seal == 0)
    return;
  Out.Sealed = true;
  const uint64_t Sum = sealOf(Bytes.data() + Out.Base);
  const uint64_t Announced = Out.Header.FileBytes;
  if (Sum != Seal)
    damage(At, "checksum of the trace's header", hex(Sum), hex(Seal));
  else if (Announced >= kHeaderBytes && Announced <= Bytes.size() - Out.Base)
    Limit = Out.Base + Announced;
  HasLimit = Sum == Seal;
}

/// Without a limit: is what follows preallocated, or another process?
bool ProcessReader::atEnd(const ExtentHeader &E) const {
  return !HasLimit &&
         (E.Magic == 0 || std::memcmp(&E, kMagic, sizeof kMagic) == 0);
}

/// Where the next extent begins that can be told from other bytes; else where
/// there can be none.
uint64_t ProcessReader::nextIntact(uint64_t From) const {
  ExtentHeader E;
  for (uint64_t At = From; At < Limit && Out.load(At, E); At += kExtentAlign)
    if (isIntact(E) ||
        (!HasLimit && std::memcmp(&E, kMagic, sizeof kMagic) == 0))
      return At;
  return Limit;
}

void ProcessReader::walkExtents() {
  const uint64_t Size = Bytes.size();
  uint64_t At = Out.Base + Out.Header.HeaderBytes;
  if (At > Size) {
    Out.Cut = true;
    find(Finding::Level::Cut, Size, "file ends within its header",
         text(Out.Header.HeaderBytes) + " bytes",
         text(Size - Out.Base) + " bytes");
  }
  Out.End = std::min(At, Size);
  while (At < Limit) {
    Extent E;
    E.Offset = At;
    if (!Out.load(At, E.Header)) {
      Out.Cut = true;
      find(Finding::Level::Cut, At, "file ends within the header of an extent",
           text(sizeof(ExtentHeader)) + " bytes", text(Size - At) + " bytes");
      break;
    }
    if (!isIntact(E.Header)) {
      if (atEnd(E.Header))
        break;
      const uint64_t Next = nextIntact(At + kExtentAlign);
      damage(At, "header of an extent, left out up to byte " + text(Next),
             "magic " + hex(kExtentMagic) + " and checksum " +
                 hex(identityOf(E.Header)),
             hex(E.Header.Magic) + " and " + hex(E.Header.Identity));
      Out.End = At = Next;
      continue;
    }
    const uint64_t Available = std::min(E.Header.Bytes, Size - At);
    if (Available < E.Header.Bytes) {
      Out.Cut = true;
      find(Finding::Level::Cut, At, "file ends within an extent",
           text(E.Header.Bytes) + " bytes", text(Available) + " bytes");
    }
    countWhole(E, Available - sizeof(ExtentHeader));
    if (E.Header.Kind == ExtentKind::Events) {
      // Its checksum is looked at when its events are. With the header the
      // system mapped the pages around it.
      constexpr uint64_t kAround = 2 << 20;
      const uint64_t From = At - std::min(At - Out.Base, kAround);
      Out.File->haveRead(From, At + E.Header.Bytes - From);
      Out.Extents.push_back(E);
    } else if (Out.checksumHolds(E)) {
      keep(E, Available - sizeof(ExtentHeader));
    } else {
      damage(At + offsetof(ExtentHeader, Checksum),
             "checksum of an extent, left out",
             hex(checksumOf(E.Header, Bytes.data() + At + sizeof E.Header)),
             hex(E.Header.Checksum));
    }
    At += Available;
    Out.End = std::min(At, Limit);
  }
  const uint64_t Announced = Out.Header.FileBytes;
  const uint64_t There = Out.End - Out.Base;
  if (Announced > There && !Out.Cut) {
    // A running process announces an extent before it publishes it.
    if (Announced > Size - Out.Base) {
      Out.Cut = true;
      find(Finding::Level::Cut, Out.End, "file is shorter than it says",
           text(Announced) + " bytes", text(There) + " bytes");
    } else if (Out.Header.State == RunState::Complete) {
      damage(Out.End, "extents end early", text(Announced) + " bytes",
             text(There) + " bytes");
    }
  }
  std::sort(Out.OctaveRanges.begin(), Out.OctaveRanges.end(),
            [](const auto &A, const auto &B) { return A.Begin < B.Begin; });
}

/// Takes an extent whose checksum holds into the trace.
void ProcessReader::keep(const Extent &E, uint64_t Available) {
  Out.Extents.push_back(E);
  if (E.Header.Kind != ExtentKind::Octaves)
    return;
  // A row may refer to a block before Used counts it: both are published
  // without order between them.
  const uint64_t Begin = E.Offset + sizeof(ExtentHeader);
  Out.OctaveRanges.push_back(
      {Begin, Begin + Available / sizeof(Octave) * sizeof(Octave),
       E.Header.Owner});
}

void ProcessReader::countWhole(Extent &E, uint64_t Available) {
  if (E.Header.Kind == ExtentKind::Snapshot)
    return; // Has its own counts.
  const uint64_t Size = elementBytes(E.Header.Kind);
  if (Size == 0) {
    find(Finding::Level::Note, E.Offset, "extent of an unknown kind skipped",
         "1 to 8", text(static_cast<uint16_t>(E.Header.Kind)));
    return;
  }
  const uint64_t Capacity = (E.Header.Bytes - sizeof(ExtentHeader)) / Size;
  if (E.Header.Used > Capacity)
    damage(E.Offset + offsetof(ExtentHeader, Used), "elements in an extent",
           "at most " + text(Capacity), text(E.Header.Used));
  E.Whole = std::min({E.Header.Used, Capacity, Available / Size});
}

std::vector<Extent> ProcessReader::inSequence(ExtentKind Kind) const {
  std::vector<Extent> Some;
  for (const Extent &E : Out.Extents)
    if (E.Header.Kind == Kind)
      Some.push_back(E);
  std::sort(Some.begin(), Some.end(), comesBefore);
  return Some;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

void ProcessReader::readMeta(const Extent &E) {
  const uint64_t Begin = E.Offset + sizeof(ExtentHeader);
  uint64_t At = Begin;
  const uint64_t End = Begin + E.Whole;
  while (At < End) {
    RecordHeader H;
    if (End - At < sizeof H || !Out.load(At, H))
      break; // Cut; reported with the extent.
    if (H.Bytes == 0 && H.Kind == RecordKind{})
      break; // Zeros after what was written.
    if (H.Bytes < sizeof H || H.Bytes % 8 != 0) {
      damage(At + offsetof(RecordHeader, Bytes), "size of a record",
             "a multiple of 8", text(H.Bytes));
      break;
    }
    if (H.Bytes > End - At) {
      if (E.Whole == E.Header.Used) // not cut: the count itself is wrong
        damage(At + offsetof(RecordHeader, Bytes), "size of a record",
               "at most " + text(End - At), text(H.Bytes));
      break;
    }
    readRecord(At, H);
    At += H.Bytes;
  }
}

template <class T>
bool ProcessReader::loadRecord(uint64_t At, const RecordHeader &H, T &Record) {
  if (H.Bytes < sizeof(T)) {
    damage(At, "record of kind " + text(static_cast<uint16_t>(H.Kind)),
           "at least " + text(sizeof(T)) + " bytes", text(H.Bytes));
    return false;
  }
  return Out.load(At, Record);
}

std::string_view ProcessReader::stringOf(uint64_t At, const RecordHeader &H,
                                         StringOffset O) {
  if (O == 0)
    return {};
  if (const auto S = Out.string(At, H.Bytes, O))
    return *S;
  damage(At, "string of a record",
         "an offset below " + text(H.Bytes) + " to NUL-terminated bytes",
         text(O));
  return {};
}

bool ProcessReader::arrayFits(uint64_t At, const RecordHeader &H,
                              uint32_t Offset, uint64_t Count, uint64_t Size,
                              const char *What) {
  if (Count == 0)
    return true;
  if (Offset >= sizeof(RecordHeader) && Offset <= H.Bytes &&
      Count <= (H.Bytes - Offset) / Size)
    return true;
  damage(At, What, "within the record's " + text(H.Bytes) + " bytes",
         text(Count) + " at " + text(Offset));
  return false;
}

std::array<StringOffset, 2> stringsOf(const FieldRecord &R) {
  return {R.Name, R.TypeName};
}
std::array<StringOffset, 2> stringsOf(const FrameRecord &R) {
  return {R.Function, R.File};
}

/// Each child of a record has strings of its own, so that they are together no
/// longer than the record: else a small file could name gigabytes.
template <class Child>
bool ProcessReader::stringsFit(uint64_t At, const RecordHeader &H,
                               uint32_t Offset, uint32_t Count) {
  uint64_t Length = 0;
  for (uint32_t I = 0; I < Count; ++I) {
    Child R;
    if (!Out.load(At + Offset + uint64_t{I} * sizeof R, R))
      return false;
    for (const StringOffset O : stringsOf(R))
      if (O != 0)
        Length += Out.string(At, H.Bytes, O).value_or("").size() + 1;
    if (Length > H.Bytes) {
      damage(At, "strings of a record in all", "at most " + text(H.Bytes),
             "more");
      return false;
    }
  }
  return true;
}

/// The place of element Index of a table, grown as needed; null (and a
/// finding) if no file of this size can have so many.
template <class T>
T *ProcessReader::slot(std::vector<T> &Table, uint64_t At, uint32_t Index,
                       uint64_t Max, const char *What) {
  if (Index == 0 || Index > Max) {
    damage(At, What, "1 to " + text(Max), text(Index));
    return nullptr;
  }
  if (Index >= Table.size())
    Table.resize(Index + 1);
  return &Table[Index];
}

void ProcessReader::readRecord(uint64_t At, const RecordHeader &H) {
  const uint64_t Size = Out.End - Out.Base;
  switch (H.Kind) {
  case RecordKind::Process: {
    Out.Command.clear();
    const char *Text = reinterpret_cast<const char *>(Bytes.data() + At);
    std::string_view Rest(Text + sizeof H, H.Bytes - sizeof H);
    // The payload is padded with NULs; an empty argument in the middle counts.
    while (!Rest.empty() && Rest.back() == '\0')
      Rest.remove_suffix(1);
    Out.Command.reserve(
        static_cast<size_t>(std::count(Rest.begin(), Rest.end(), '\0')) + 1);
    while (!Rest.empty()) {
      const size_t End = Rest.find('\0');
      Out.Command.push_back(Rest.substr(0, End));
      if (End == std::string_view::npos)
        break;
      Rest.remove_prefix(End + 1);
    }
    return;
  }
  case RecordKind::Type: {
    TypeRecord R;
    if (!loadRecord(At, H, R))
      return;
    Type *T = slot(Out.Types, At, R.Index, Size / sizeof R, "index of a type");
    if (!T)
      return;
    *T = {R.Index, R.Align, R.Id, R.Size, R.Flags, stringOf(At, H, R.Name),
          At,      0,       0};
    if (arrayFits(At, H, R.Fields, R.FieldCount, sizeof(FieldRecord),
                  "fields of a type") &&
        stringsFit<FieldRecord>(At, H, R.Fields, R.FieldCount)) {
      T->FieldCount = R.FieldCount;
      T->Fields = R.Fields;
    }
    return;
  }
  case RecordKind::Site: {
    SiteRecord R;
    Site *S = siteRecord(At, H, R);
    if (!S)
      return;
    S->Id = R.Id;
    S->Type = R.Type;
    S->Key = R.Key;
    S->Kind = R.Kind;
    S->Line = R.Line;
    S->Column = R.Column;
    S->ArrayCookie = R.ArrayCookie;
    S->Function = stringOf(At, H, R.Function);
    S->File = stringOf(At, H, R.File);
    S->Module = R.Module;
    S->SymbolOffset = R.SymbolOffset;
    S->Rule = R.Rule;
    S->Flags = R.Flags;
    S->ModuleOffset = R.ModuleOffset;
    S->Record = At;
    S->FrameCount = 0;
    if (arrayFits(At, H, R.Frames, R.FrameCount, sizeof(FrameRecord),
                  "frames of a site") &&
        stringsFit<FrameRecord>(At, H, R.Frames, R.FrameCount)) {
      S->FrameCount = R.FrameCount;
      S->Frames = R.Frames;
    }
    return;
  }
  case RecordKind::Address:
  case RecordKind::Stack:
  case RecordKind::StackedSite:
  case RecordKind::Symbol:
  case RecordKind::Name:
    readStackRecord(At, H);
    return;
  case RecordKind::Module: {
    ModuleRecord R;
    if (!loadRecord(At, H, R))
      return;
    Module *M = slot(Out.Modules, At, R.Id, Size / sizeof R, "id of a module");
    if (!M)
      return;
    *M = {R.Id, R.Base, stringOf(At, H, R.Path), {}};
    if (arrayFits(At, H, R.BuildId, R.BuildIdBytes, 1, "build id of a module"))
      M->BuildId = {reinterpret_cast<const char *>(Bytes.data() + At) +
                        R.BuildId,
                    R.BuildIdBytes};
    return;
  }
  case RecordKind::Thread: {
    ThreadRecord R;
    if (!loadRecord(At, H, R))
      return;
    Thread &T = Out.Threads[R.Index];
    T.Index = R.Index;
    T.Tid = R.Tid;
    T.StartTicks = R.StartTicks;
    T.Name = stringOf(At, H, R.Name);
    return;
  }
  case RecordKind::Object: {
    ObjectRecord R;
    if (!loadRecord(At, H, R))
      return;
    Object &O = Out.Objects.emplace_back();
    O.Module = R.Module;
    O.Cell = R.Cell;
    O.Type = R.Type;
    O.Line = R.Line;
    O.Column = R.Column;
    O.Event = R.Event;
    O.Storage = R.Storage;
    O.Manner = R.Manner;
    O.Times = std::max<uint8_t>(R.Times, 1);
    O.ClassName = stringOf(At, H, R.ClassName);
    O.Function = stringOf(At, H, R.Function);
    O.File = stringOf(At, H, R.File);
    O.Key = R.Key;
    return;
  }
  case RecordKind::Note:
  case RecordKind::Profile:
  case RecordKind::Wait:
    return; // readThreads()
  case RecordKind::Phase: {
    PhaseRecord R;
    if (loadRecord(At, H, R))
      Out.Phases.push_back({R.Ticks, R.Snapshot, R.Header.Reserved != 0,
                            stringOf(At, H, R.Name)});
    return;
  }
  }
  find(Finding::Level::Note, At, "record of an unknown kind skipped", "1 to 8",
       text(static_cast<uint16_t>(H.Kind)));
}

/// Whether a record at \p At of source or name is about an address that came
/// before it.
bool ProcessReader::isKnownAddress(uint64_t At, uint32_t Address) {
  static_assert(offsetof(SymbolRecord, Address) ==
                offsetof(NameRecord, Address));
  if (Address != 0 && Address < Out.Addresses.size())
    return true;
  damage(At + offsetof(SymbolRecord, Address), "address of a symbol",
         "1 to " + text(Out.Addresses.size() - 1), text(Address));
  return false;
}

/// What stacks=N adds.
void ProcessReader::readStackRecord(uint64_t At, const RecordHeader &H) {
  const uint64_t Size = Out.End - Out.Base;
  switch (H.Kind) {
  case RecordKind::Address: {
    AddressRecord R;
    if (!loadRecord(At, H, R))
      return;
    if (Address *A = slot(Out.Addresses, At, R.Id, Size / sizeof R,
                          "id of a code address"))
      *A = {R.Id,
            R.Module,
            R.Flags,
            R.Offset,
            stringOf(At, H, R.Function),
            R.SymbolOffset,
            {}};
    return;
  }
  case RecordKind::Stack: {
    StackRecord R;
    if (!loadRecord(At, H, R))
      return;
    Stack *S = slot(Out.Stacks, At, R.Id, Size / sizeof R, "id of a stack");
    if (!S)
      return;
    if (R.Parent >= R.Id) // also what keeps walks to the root finite
      damage(At + offsetof(StackRecord, Parent), "parent of a stack",
             "below " + text(R.Id), text(R.Parent));
    else if (const uint32_t Depth = Out.Stacks[R.Parent].Depth + 1;
             Depth > kDeepestStack ||
             (R.Parent != 0 && Out.Stacks[R.Parent].Id == 0))
      damage(At + offsetof(StackRecord, Parent), "parent of a stack",
             "a stack before it, of less than " + text(kDeepestStack) +
                 " frames",
             text(R.Parent));
    else
      *S = {R.Id, R.Parent, R.Address, R.Flags, Depth};
    return;
  }
  case RecordKind::StackedSite: {
    StackedSiteRecord R;
    Site *S = siteRecord(At, H, R);
    if (!S)
      return;
    if (R.Site >= R.Id || Out.Sites[R.Site].Id == 0) {
      damage(At + offsetof(StackedSiteRecord, Site), "site of a stack",
             "a site below " + text(R.Id), text(R.Site));
      return;
    }
    *S = Out.Sites[R.Site];
    S->Id = R.Id;
    S->Plain = R.Site;
    S->Stack = R.Stack;
    return;
  }
  case RecordKind::Name: {
    NameRecord R;
    if (loadRecord(At, H, R) && isKnownAddress(At, R.Address)) {
      Address &A = Out.Addresses[R.Address];
      A.Function = stringOf(At, H, R.Function);
      A.SymbolOffset = R.SymbolOffset;
    }
    return;
  }
  default: {
    SymbolRecord R;
    if (!loadRecord(At, H, R) ||
        !arrayFits(At, H, R.Frames, R.FrameCount, sizeof(FrameRecord),
                   "frames of an address") ||
        !stringsFit<FrameRecord>(At, H, R.Frames, R.FrameCount))
      return;
    if (isKnownAddress(At, R.Address))
      Out.Addresses[R.Address].Source =
          Out.framesAt(At, R.Frames, R.FrameCount);
  }
  }
}

//===----------------------------------------------------------------------===//
// Rows and what refers to records
//===----------------------------------------------------------------------===//

/// No two rows share a block of lifetimes.
bool ProcessReader::takeOctaves(uint64_t At, const Row &R,
                                std::vector<bool> &Taken) {
  for (const uint32_t O : R.Octaves) {
    if (O == 0 || O >= Taken.size())
      continue; // Trace::addBuckets says where it leads.
    if (Taken[O]) {
      damage(At, "lifetimes of a row", "a block of its own", text(O * 64ull));
      return false;
    }
    Taken[O] = true;
  }
  return true;
}

/// Calls \p Visit with each row of a kind of extent, its place and its entry.
template <class Function>
void ProcessReader::forEachRow(ExtentKind Kind, Function Visit) {
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
        damage(At, "site of a row", "below " + text(kMaxSites), text(R.Site));
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
  }
}

void ProcessReader::readRows() {
  std::vector<bool> Taken((Out.End - Out.Base) / 64 + 1); // by Row::Octaves
  const auto Chain = [&](const Row &R, RowRef Ref, uint32_t &First) {
    if (!takeOctaves(Ref.Offset, R, Taken))
      Out.SharedLives.push_back(Ref.Offset);
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
  forEachRow(ExtentKind::AllocationLives,
             [&](const Row &R, RowRef Ref, Entry &Mine) {
               Chain(R, Ref, Mine.FirstAllocationLives);
             });
  std::sort(Out.SharedLives.begin(), Out.SharedLives.end());
  std::sort(Out.Entries.begin(), Out.Entries.end(),
            [](const Entry &A, const Entry &B) {
              return std::pair(A.Site, A.Type) < std::pair(B.Site, B.Type);
            });
}

void ProcessReader::readLive() {
  struct Pending {
    int64_t Delta = 0, High = 0;
    void add(const Cell &C) {
      const int64_t Owed = owedBy(C.Limit);
      Delta = saturatingAdd(Delta, saturatingAdd(C.Delta, -Owed));
      High = std::max(High, saturatingAdd(C.High, -Owed));
    }
  };
  std::vector<TypeTotal> Totals;
  for (const Extent &E : inSequence(ExtentKind::Types))
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
        damage(At, "type of a cell", "below " + text(ByType.size()),
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
  // Who was killed wrote its header long before.
  if (Last <= UINT64_MAX >> Out.Header.TickShift)
    Out.Header.LastTicks =
        std::max(Out.Header.LastTicks, Last << Out.Header.TickShift);
}

void ProcessReader::readCounters() {
  const auto Counts = Out.objectsOf([](uint32_t) { return true; });
  for (size_t I = 0; I < Out.Objects.size(); ++I)
    Out.Objects[I].Count = Counts[I];
}

void ProcessReader::readPeak() {
  for (const Extent &E : inSequence(ExtentKind::Peak)) {
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

void ProcessReader::readFrees() {
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

void ProcessReader::readSnapshots() {
  for (const Extent &E : inSequence(ExtentKind::Snapshot)) {
    Snapshot S;
    S.Offset = E.Offset;
    S.Sequence = E.Header.Sequence;
    if (E.Header.Used == 0)
      continue; // Not finished.
    const uint64_t Begin = E.Offset + sizeof(ExtentHeader);
    if (!Out.load(Begin, S.Header))
      continue;
    const uint64_t Need = sizeof(SnapshotHeader) +
                          uint64_t{S.Header.Rows} * sizeof(Row) +
                          uint64_t{S.Header.OctaveBlocks} * sizeof(Octave);
    if (Need > E.Header.Bytes - sizeof(ExtentHeader)) {
      damage(Begin, "rows of a snapshot",
             "at most " + text(E.Header.Bytes - sizeof(ExtentHeader)) +
                 " bytes",
             text(Need));
      continue;
    }
    if (Need > Bytes.size() - Begin)
      continue; // Cut; reported with the extent.
    S.Rows = Begin + sizeof(SnapshotHeader);
    S.Octaves = S.Rows + uint64_t{S.Header.Rows} * sizeof(Row);
    Out.Snapshots.push_back(S);
  }
}

/// What waits to be obeyed is, for all that this trace can show.
void ProcessReader::readOrders() {
  const OrderQueue &Q = Out.Header.Orders;
  Out.Recording = Q.Recording != 0;
  const uint64_t At = Out.Base + offsetof(FileHeader, Orders);
  const uint32_t Waiting = Q.Given - Q.Obeyed;
  if (Waiting > OrderQueue::kRoom)
    return damage(At, "orders that wait",
                  "at most " + text(uint32_t{OrderQueue::kRoom}),
                  text(Waiting));
  for (uint32_t N = Q.Obeyed; N != Q.Given; ++N) {
    const uint32_t Slot = N % OrderQueue::kRoom;
    const Order &O = Q.Orders[Slot];
    const bool Named = O.Kind == OrderKind::Snapshot;
    if (O.Kind == OrderKind::Start || O.Kind == OrderKind::Stop) {
      Out.Recording = O.Kind == OrderKind::Start;
      continue;
    }
    if (O.Kind != OrderKind::Reset && !Named)
      continue;
    Snapshot S;
    S.Now = true;
    S.Offset = At;
    S.Sequence = Out.Snapshots.empty() ? 1 : Out.Snapshots.back().Sequence + 1;
    S.Header.Kind = Named ? SnapshotKind::Manual : SnapshotKind::Reset;
    S.Header.Rows = static_cast<uint32_t>(Out.Entries.size());
    S.Header.UnixNs = O.UnixNs;
    S.Header.Ticks = Out.Header.LastTicks;
    S.Header.LiveBytes = Out.Process.Live;
    S.Header.PeakLiveBytes = Out.Process.Peak;
    S.Header.PartPeakLiveBytes = Out.Process.PeakSinceMark;
    if (Named) {
      const auto *Name = reinterpret_cast<const char *>(Bytes.data()) + At +
                         offsetof(OrderQueue, Orders) + Slot * sizeof(Order) +
                         offsetof(Order, Name);
      Out.Phases.push_back({S.Header.Ticks,
                            static_cast<uint32_t>(S.Sequence),
                            true,
                            {Name, strnlen(Name, sizeof O.Name)}});
    }
    Out.Snapshots.push_back(S);
  }
}

Status readProcess(Trace &Into) { return ProcessReader(Into).read(); }

} // namespace inmem::trace
