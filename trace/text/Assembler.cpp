//===- Assembler.cpp - The text form of a trace to its bytes --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used by tests; Text.h describes the language. Extents are in the order of the
// text, followed by one Octaves extent for each thread that has lifetimes.
//
//===----------------------------------------------------------------------===//
#include "trace/text/Text.h"

#include "trace/format/Checksum.h"
#include "trace/format/VarintFormat.h"
#include "trace/text/TextFields.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace inmem::trace {

namespace {

/// A word of a line: `text`, `key=text` or a quoted string.
struct Word {
  std::string Key; ///< empty: no `key=`
  std::string Text;
};

/// A record that grows: fixed part, arrays, strings, padding to 8.
class RecordBuilder {
public:
  explicit RecordBuilder(size_t Fixed) : Bytes(Fixed) {}

  StringOffset string(std::string_view Text) {
    const auto At = static_cast<StringOffset>(Bytes.size());
    append(Text.data(), Text.size());
    Bytes.push_back(std::byte{0});
    return At;
  }
  void append(const void *From, size_t Size) {
    const auto *Begin = static_cast<const std::byte *>(From);
    Bytes.insert(Bytes.end(), Begin, Begin + Size);
  }
  void align() { Bytes.resize((Bytes.size() + 7) / 8 * 8); }

  std::vector<std::byte> Bytes;
};

struct PendingRow {
  Row R{};
  std::map<unsigned, Octave> Octaves;
};

struct PendingExtent {
  ExtentHeader Header{};
  std::vector<std::byte> Payload; ///< Meta, Cells, Types, Counters, Events
  uint64_t Elements = 0;
  SnapshotHeader Snapshot{};
  std::vector<PendingRow> Rows; ///< Rows, Snapshot
  // Events: the state that the next event refers to.
};

struct StreamState {
  /// Site and size of the pair in each slot (Format.h).
  std::vector<std::pair<uint64_t, uint64_t>> Pairs{kPairSlots};
};

class Assembler {
public:
  Result<std::vector<std::byte>> run(std::string_view Text);

private:
  bool fail(std::string What) {
    if (Error.empty())
      Error = std::move(What);
    return false;
  }
  bool split(std::string_view Line, std::vector<Word> &Out);
  bool number(const Word &W, uint64_t &Out);
  bool set(const Word &W, void *Struct, std::span<const Member> Members,
           RecordBuilder *Strings);
  bool setAll(std::span<const Word> Words, void *Struct,
              std::span<const Member> Members, RecordBuilder *Strings);
  bool line(std::span<const Word> Words);
  bool headerLine(std::span<const Word> Words);
  bool extentLine(std::span<const Word> Words);
  bool octaveLine(std::span<const Word> Words);
  bool eventLine(std::span<const Word> Words);
  bool recordLine(const RecordShape &As, std::span<const Word> Words);
  template <class R>
  bool childLine(std::span<const Word> Words, std::span<const Member> Members,
                 RecordKind Parent);
  bool elementLine(std::span<const Word> Words, const PlainElement &As);
  void finishRecord();
  std::vector<std::byte> layOut();

  std::string Error;
  FileHeader Header{};
  bool HasHeader = false;
  std::vector<PendingExtent> Extents;
  std::map<uint32_t, StreamState> Streams;
  std::optional<RecordBuilder> Record;
  std::vector<std::byte> Children;
  uint32_t ChildCount = 0;
  RecordKind Kind{};
};

bool Assembler::split(std::string_view Line, std::vector<Word> &Out) {
  size_t I = 0;
  const auto Quoted = [&](std::string &Into) {
    for (++I; I < Line.size() && Line[I] != '"'; ++I) {
      char C = Line[I];
      if (C == '\\') {
        if (++I >= Line.size())
          return fail("string without an end");
        C = Line[I];
        if (C == 'n') {
          C = '\n';
        } else if (C == 't') {
          C = '\t';
        } else if (C == 'x') {
          unsigned Value = 0;
          if (I + 2 >= Line.size() ||
              std::from_chars(&Line[I + 1], &Line[I + 1] + 2, Value, 16).ptr !=
                  &Line[I + 1] + 2)
            return fail("\\x needs two hexadecimal digits");
          C = static_cast<char>(Value);
          I += 2;
        }
      }
      Into += C;
    }
    if (I >= Line.size())
      return fail("string without an end");
    ++I;
    return true;
  };
  while (I < Line.size()) {
    if (Line[I] == ' ' || Line[I] == '\t' || Line[I] == '\r') {
      ++I;
      continue;
    }
    if (Line[I] == '#')
      break;
    Word W;
    while (I < Line.size() && Line[I] != ' ' && Line[I] != '"') {
      if (Line[I] == '=' && W.Key.empty()) {
        W.Key = std::move(W.Text);
        W.Text.clear();
      } else {
        W.Text += Line[I];
      }
      ++I;
    }
    if (I < Line.size() && Line[I] == '"') {
      if (!Quoted(W.Text))
        return false;
    }
    Out.push_back(std::move(W));
  }
  return true;
}

bool Assembler::number(const Word &W, uint64_t &Out) {
  std::string_view Text = W.Text;
  int Base = 10;
  if (Text.starts_with("0x")) {
    Base = 16;
    Text.remove_prefix(2);
  }
  if (Text.starts_with('-')) {
    int64_t Signed = 0;
    const auto End =
        std::from_chars(Text.data(), Text.data() + Text.size(), Signed);
    Out = static_cast<uint64_t>(Signed);
    if (End.ec == std::errc() && End.ptr == Text.data() + Text.size())
      return true;
  } else {
    const auto End =
        std::from_chars(Text.data(), Text.data() + Text.size(), Out, Base);
    if (End.ec == std::errc() && End.ptr == Text.data() + Text.size())
      return true;
  }
  return fail("'" + W.Key + "' needs a number, not '" + W.Text + "'");
}

bool Assembler::set(const Word &W, void *Struct,
                    std::span<const Member> Members, RecordBuilder *Strings) {
  const auto M = std::find_if(Members.begin(), Members.end(),
                              [&](const Member &X) { return X.Key == W.Key; });
  if (M == Members.end())
    return fail("no member '" + W.Key + "' here");
  uint64_t Value = 0;
  switch (M->As) {
  case Form::Chars:
    W.Text.copy(static_cast<char *>(Struct) + M->Offset, M->Size - 1);
    return true;
  case Form::Text:
    if (!Strings)
      return fail("no string can be stored here");
    Value = Strings->string(W.Text);
    break;
  case Form::Double: {
    double D = 0;
    const auto End =
        std::from_chars(W.Text.data(), W.Text.data() + W.Text.size(), D);
    if (End.ec != std::errc())
      return fail("'" + W.Key + "' needs a number, not '" + W.Text + "'");
    std::memcpy(&Value, &D, sizeof D);
    break;
  }
  case Form::Word:
    if (const auto Known = valueOf(M->Names, W.Text))
      Value = *Known;
    else if (!number(W, Value))
      return Error = needsWord(W.Key, M->Names, W.Text), false;
    break;
  case Form::Words:
    for (std::string_view Rest = W.Text; !Rest.empty();) {
      const size_t Comma = Rest.find(',');
      const std::string_view One = Rest.substr(0, Comma);
      Rest = Comma == std::string_view::npos ? std::string_view()
                                             : Rest.substr(Comma + 1);
      uint64_t Bits = 0;
      if (const auto Known = valueOf(M->Names, One))
        Bits = *Known;
      else if (!number({W.Key, std::string(One)}, Bits))
        return Error = needsWord(W.Key, M->Names, One), false;
      Value |= Bits;
    }
    break;
  case Form::Decimal:
  case Form::Hex:
  case Form::Signed:
    if (!number(W, Value))
      return false;
    break;
  }
  if (M->Size < 8 && Value >> (8 * M->Size) != 0 &&
      ~Value >> (8 * M->Size) != 0)
    return fail("'" + W.Key + "' is too large");
  std::memcpy(static_cast<char *>(Struct) + M->Offset, &Value, M->Size);
  return true;
}

bool Assembler::setAll(std::span<const Word> Words, void *Struct,
                       std::span<const Member> Members,
                       RecordBuilder *Strings) {
  return std::all_of(Words.begin(), Words.end(), [&](const Word &W) {
    return set(W, Struct, Members, Strings);
  });
}

bool Assembler::headerLine(std::span<const Word> Words) {
  if (HasHeader)
    return fail("a second header");
  HasHeader = true;
  std::memcpy(Header.Magic, kMagic, sizeof kMagic);
  Header.Version = kVersion;
  Header.HeaderBytes = kHeaderBytes;
  Header.State = RunState::Complete;
  Header.TicksPerSecond = 1'000'000'000;
  Header.Every = 1;
  for (const Word &W : Words.subspan(1)) {
    if (W.Key == "host")
      W.Text.copy(Header.Host, sizeof Header.Host - 1);
    else if (W.Key == "executable")
      W.Text.copy(Header.Executable, sizeof Header.Executable - 1);
    else if (!set(W, &Header, headerMembers(), nullptr))
      return false;
  }
  return true;
}

bool Assembler::extentLine(std::span<const Word> Words) {
  finishRecord();
  if (Words.size() < 2)
    return fail("which extent?");
  const auto Which = valueOf(kExtentNames, Words[1].Text);
  if (!Which || *Which == static_cast<uint64_t>(ExtentKind::Octaves))
    return fail("no extent '" + Words[1].Text + "'");
  PendingExtent E;
  E.Header.Magic = kExtentMagic;
  E.Header.Kind = static_cast<ExtentKind>(*Which);
  for (const Word &W : Words.subspan(2)) {
    uint64_t Value = 0;
    if (W.Key == "owner" && number(W, Value))
      E.Header.Owner = static_cast<uint32_t>(Value);
    else if (W.Key == "module" && number(W, Value))
      E.Header.Module = static_cast<uint32_t>(Value);
    else if (W.Key == "sequence" && number(W, Value))
      E.Header.Sequence = Value;
    else if (W.Key == "last-ticks" && number(W, Value))
      E.Header.LastTicks = Value;
    else if (E.Header.Kind != ExtentKind::Snapshot)
      return fail("no member '" + W.Key + "' of an extent");
    else if (!set(W, &E.Snapshot, snapshotMembers(), nullptr))
      return false;
  }
  Extents.push_back(std::move(E));
  return true;
}

void Assembler::finishRecord() {
  if (!Record)
    return;
  Record->align();
  const auto At = static_cast<uint32_t>(Record->Bytes.size());
  if (ChildCount > 0) {
    Record->append(Children.data(), Children.size());
    std::byte *Fixed = Record->Bytes.data();
    const bool IsType = Kind == RecordKind::Type;
    const bool IsSite = Kind == RecordKind::Site;
    const size_t CountAt = IsType   ? offsetof(TypeRecord, FieldCount)
                           : IsSite ? offsetof(SiteRecord, FrameCount)
                                    : offsetof(SymbolRecord, FrameCount);
    const size_t OffsetAt = IsType   ? offsetof(TypeRecord, Fields)
                            : IsSite ? offsetof(SiteRecord, Frames)
                                     : offsetof(SymbolRecord, Frames);
    std::memcpy(Fixed + CountAt, &ChildCount, sizeof ChildCount);
    std::memcpy(Fixed + OffsetAt, &At, sizeof At);
  }
  RecordHeader H;
  std::memcpy(&H, Record->Bytes.data(), sizeof H);
  H.Kind = Kind;
  H.Bytes = static_cast<uint32_t>(Record->Bytes.size());
  std::memcpy(Record->Bytes.data(), &H, sizeof H);
  PendingExtent &E = Extents.back();
  E.Payload.insert(E.Payload.end(), Record->Bytes.begin(), Record->Bytes.end());
  E.Elements = E.Payload.size();
  Record.reset();
  Children.clear();
  ChildCount = 0;
}

bool Assembler::recordLine(const RecordShape &As, std::span<const Word> Words) {
  finishRecord();
  if (Extents.empty() || Extents.back().Header.Kind != ExtentKind::Meta)
    return fail("'" + Words[0].Text + "' belongs into `extent meta`");
  Kind = As.Kind;
  RecordBuilder Builder(As.Bytes);
  std::vector<std::byte> Fixed(As.Bytes);
  std::vector<Word> Rest(Words.begin() + 1, Words.end());
  const auto Id = std::find_if(Rest.begin(), Rest.end(), [](const Word &W) {
    return W.Key == "build-id";
  });
  if (Kind == RecordKind::Module && Id != Rest.end()) {
    ModuleRecord R{};
    R.BuildId = static_cast<uint32_t>(Builder.Bytes.size());
    R.BuildIdBytes = static_cast<uint32_t>(Id->Text.size() / 2);
    std::memcpy(Fixed.data(), static_cast<const void *>(&R), sizeof R);
    for (size_t I = 0; I + 1 < Id->Text.size(); I += 2) {
      unsigned char Byte = 0;
      std::from_chars(&Id->Text[I], &Id->Text[I] + 2, Byte, 16);
      Builder.append(&Byte, 1);
    }
    Rest.erase(Id);
  }
  if (!setAll(Rest, Fixed.data(), As.Members, &Builder))
    return false;
  std::copy(Fixed.begin(), Fixed.end(), Builder.Bytes.begin());
  Record = std::move(Builder);
  return true;
}

template <class R>
bool Assembler::childLine(std::span<const Word> Words,
                          std::span<const Member> Members, RecordKind Parent) {
  if (!Record || Kind != Parent)
    return fail("'" + Words[0].Text + "' without the record it belongs to");
  R Child{};
  if (!setAll(Words.subspan(1), &Child, Members, &*Record))
    return false;
  const auto *Begin = reinterpret_cast<const std::byte *>(&Child);
  Children.insert(Children.end(), Begin, Begin + sizeof Child);
  ++ChildCount;
  return true;
}

bool Assembler::elementLine(std::span<const Word> Words,
                            const PlainElement &As) {
  std::vector<std::byte> Element(As.Bytes);
  if (Extents.empty() ||
      !setAll(Words.subspan(1), Element.data(), As.Members, nullptr))
    return fail("element without an extent");
  PendingExtent &E = Extents.back();
  E.Payload.insert(E.Payload.end(), Element.begin(), Element.end());
  ++E.Elements;
  return true;
}

bool Assembler::octaveLine(std::span<const Word> Words) {
  if (Extents.empty() || Extents.back().Rows.empty() || Words.size() < 2)
    return fail("'octave' without its row");
  uint64_t Which = 0;
  if (!number(Words[1], Which) || Which >= kOctaves)
    return fail("octaves are 0 to " + std::to_string(kOctaves - 1));
  Octave &O = Extents.back().Rows.back().Octaves[static_cast<unsigned>(Which)];
  for (const Word &W : Words.subspan(2)) {
    const size_t Slash = W.Text.find('/');
    uint64_t Bucket = 0;
    if (Slash == std::string::npos || !number({{}, W.Key}, Bucket) ||
        Bucket >= kBucketsPerOctave ||
        !number({{}, W.Text.substr(0, Slash)}, O.Buckets[Bucket].Count) ||
        !number({{}, W.Text.substr(Slash + 1)}, O.Buckets[Bucket].Bytes))
      return fail("a bucket is written bucket=count/bytes");
  }
  return true;
}

bool Assembler::eventLine(std::span<const Word> Words) {
  if (Extents.empty() || Extents.back().Header.Kind != ExtentKind::Events ||
      Words.size() < 2)
    return fail("'event' belongs into `extent events`");
  const auto Which = valueOf(kEventNames, Words[1].Text);
  if (!Which)
    return fail("no event '" + Words[1].Text + "'");
  uint64_t Site = 0, Size = 0, Time = 0, Lifetime = 0, From = 0;
  unsigned Flags = 0;
  for (const Word &W : Words.subspan(2)) {
    uint64_t &Into = W.Key == "site"   ? Site
                     : W.Key == "size" ? Size
                     : W.Key == "life" ? Lifetime
                     : W.Key == "from" ? From
                                       : Time;
    if (&Into == &Time && W.Key != "time")
      return fail("no member '" + W.Key + "' of an event");
    Flags |= W.Key == "life" ? kHasLifetime : W.Key == "time" ? kClocked : 0u;
    if (!number(W, Into))
      return false;
  }
  PendingExtent &E = Extents.back();
  StreamState &Before = Streams[E.Header.Owner];
  const unsigned At = pairSlot(static_cast<uint32_t>(Site), Size);
  auto &Known = Before.Pairs[At];
  if (Known != std::pair(Site, Size)) {
    Flags |= kNewPair;
    Known = {Site, Size};
  }
  const unsigned Event =
      At | static_cast<unsigned>(*Which) << kEventKindShift | Flags;
  E.Payload.push_back(static_cast<std::byte>(Event & 0xff));
  E.Payload.push_back(static_cast<std::byte>(Event >> 8));
  const auto Varint = [&](uint64_t Value) {
    putVarint(Value,
              [&E](uint8_t Byte) { E.Payload.push_back(std::byte{Byte}); });
  };
  if (Flags & kNewPair) {
    Varint(Site);
    Varint(Size);
  }
  if (Flags & kClocked)
    Varint(Time);
  if (Flags & kHasLifetime)
    Varint(Lifetime);
  if (*Which == static_cast<uint64_t>(EventKind::Retag))
    Varint(From);
  E.Elements = E.Payload.size();
  return true;
}

bool Assembler::line(std::span<const Word> Words) {
  const std::string &First = Words[0].Text;
  if (First == "header")
    return headerLine(Words);
  if (!HasHeader)
    return fail("the first line is `header ...`");
  if (First == "extent")
    return extentLine(Words);
  if (const auto Known = recordShape(First))
    return recordLine(*Known, Words);
  if (First == "field")
    return childLine<FieldRecord>(Words, fieldMembers(), RecordKind::Type);
  if (First == "frame")
    return childLine<FrameRecord>(
        Words, frameMembers(),
        Kind == RecordKind::Symbol ? Kind : RecordKind::Site);
  if (First == "process") {
    if (!recordLine({RecordKind::Process, sizeof(RecordHeader), {}},
                    Words.first(1)))
      return false;
    for (const Word &W : Words.subspan(1))
      Record->string(W.Text);
    return true;
  }
  if (First == "row") {
    if (Extents.empty())
      return fail("'row' without an extent");
    PendingRow R;
    if (!setAll(Words.subspan(1), &R.R, rowMembers(), nullptr))
      return false;
    Extents.back().Rows.push_back(std::move(R));
    return true;
  }
  if (First == "octave")
    return octaveLine(Words);
  if (const auto Plain = plainElement(First))
    return elementLine(Words, *Plain);
  if (First == "counts") {
    if (Extents.empty())
      return fail("'counts' without an extent");
    for (const Word &W : Words.subspan(1)) {
      uint64_t Count = 0;
      if (!number(W, Count))
        return false;
      const auto *Begin = reinterpret_cast<const std::byte *>(&Count);
      PendingExtent &E = Extents.back();
      E.Payload.insert(E.Payload.end(), Begin, Begin + sizeof Count);
      ++E.Elements;
    }
    return true;
  }
  if (First == "event")
    return eventLine(Words);
  return fail("no line starts with '" + First + "'");
}

std::vector<std::byte> Assembler::layOut() {
  std::vector<std::byte> Out(kHeaderBytes);
  const auto Append = [&](const void *From, size_t Size) {
    const auto *Begin = static_cast<const std::byte *>(From);
    Out.insert(Out.end(), Begin, Begin + Size);
  };
  const auto Close = [&](size_t Start) {
    Out.resize((Out.size() + kExtentAlign - 1) / kExtentAlign * kExtentAlign);
    const uint64_t Size = Out.size() - Start;
    std::memcpy(Out.data() + Start + offsetof(ExtentHeader, Bytes), &Size,
                sizeof Size);
  };
  struct Fixup {
    size_t Row;
    unsigned O;
    Octave Block;
  };
  std::map<uint32_t, std::vector<Fixup>> ByOwner;
  for (PendingExtent &E : Extents) {
    const size_t Start = Out.size();
    const bool IsSnapshot = E.Header.Kind == ExtentKind::Snapshot;
    std::vector<Octave> Own;
    E.Header.Used = IsSnapshot        ? 1
                    : !E.Rows.empty() ? E.Rows.size()
                                      : E.Elements;
    Append(&E.Header, sizeof E.Header);
    if (IsSnapshot) {
      E.Snapshot.Rows = static_cast<uint32_t>(E.Rows.size());
      for (PendingRow &R : E.Rows)
        for (const auto &[O, Block] : R.Octaves) {
          Own.push_back(Block);
          R.R.Octaves[O] = static_cast<uint32_t>(Own.size());
        }
      E.Snapshot.OctaveBlocks = static_cast<uint32_t>(Own.size());
      Append(&E.Snapshot, sizeof E.Snapshot);
    }
    for (const PendingRow &R : E.Rows) {
      if (!IsSnapshot)
        for (const auto &[O, Block] : R.Octaves)
          ByOwner[E.Header.Owner].push_back({Out.size(), O, Block});
      Append(&R.R, sizeof R.R);
    }
    Append(Own.data(), Own.size() * sizeof(Octave));
    Append(E.Payload.data(), E.Payload.size());
    Close(Start);
  }
  for (const auto &[Owner, Fixups] : ByOwner) {
    const size_t Start = Out.size();
    ExtentHeader H{};
    H.Magic = kExtentMagic;
    H.Kind = ExtentKind::Octaves;
    H.Owner = Owner;
    H.Used = Fixups.size();
    Append(&H, sizeof H);
    for (const Fixup &F : Fixups) {
      const auto At = static_cast<uint32_t>(Out.size() / 64);
      std::memcpy(Out.data() + F.Row + offsetof(Row, Octaves) + 4 * F.O, &At,
                  sizeof At);
      Append(&F.Block, sizeof F.Block);
    }
    Close(Start);
  }
  Header.FileBytes = Out.size();
  std::memcpy(Out.data(), &Header, sizeof Header);
  seal(Out);
  return Out;
}

Result<std::vector<std::byte>> Assembler::run(std::string_view Text) {
  for (unsigned Number = 1; !Text.empty(); ++Number) {
    const size_t End = Text.find('\n');
    std::vector<Word> Words;
    if (!split(Text.substr(0, End), Words) || (!Words.empty() && !line(Words)))
      return Status::error("line " + std::to_string(Number), Error);
    Text = End == std::string_view::npos ? std::string_view()
                                         : Text.substr(End + 1);
  }
  if (!HasHeader)
    return Status::error("line 1", "the first line is `header ...`");
  finishRecord();
  return layOut();
}

} // namespace

Result<std::vector<std::byte>> assemble(std::string_view Text) {
  return Assembler().run(Text);
}

} // namespace inmem::trace
