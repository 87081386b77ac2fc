//===- Text.cpp - A trace to its text form --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/text/Text.h"

#include "trace/read/NumberText.h"
#include "trace/text/TextFields.h"

#include <algorithm>
#include <cstring>

namespace inmem::trace {

namespace {

class Dumper {
public:
  Dumper(const Trace &Of, const DumpOptions &With, const TextSink &To)
      : T(Of), Options(With), Sink(To) {}

  void run();

private:
  using StringOf = std::function<std::string_view(StringOffset)>;

  /// Appends ` key=value` for each member that is not 0.
  void members(std::string &Line, const void *Struct,
               std::span<const Member> Members, const StringOf &Text = {});
  void line(std::string &Line) {
    Line += '\n';
    Sink(Line);
    Line.clear();
  }
  void comment(uint64_t Offset, const std::string &Text) {
    if (Options.Comments)
      Sink("# at " + number(Offset) + ": " + Text + "\n");
  }
  template <class R>
  void record(const char *Word, uint64_t At, const RecordHeader &H,
              std::span<const Member> Members, R &Record);
  void otherRecord(uint64_t At, const RecordHeader &H);
  void meta(const Extent &E);
  void frames(uint64_t Record, const RecordHeader &H, uint32_t Frames,
              uint32_t Count);
  void rowLine(const Row &R, const Buckets &Lifetimes);
  void rows(const Extent &E);
  void snapshot(const Extent &E);
  void events(const Extent &E);
  void counters(const Extent &E);
  void threads(const Extent &E);
  void ofSites(const Extent &E);
  template <class R, class Predicate>
  void plain(const char *Word, const Extent &E, std::span<const Member> Members,
             Predicate Want);
  bool ofRows() const { return Options.Only && Options.Only->choosesRows(); }
  bool row(uint32_t Site, uint32_t Type) const {
    return !Options.Only || Options.Only->row(Site, Type);
  }
  bool type(uint32_t Index) const {
    return !Options.Only || Options.Only->type(Index);
  }
  bool site(uint32_t Id) const {
    return !Options.Only || Options.Only->site(Id);
  }
  bool thread(uint32_t Index) const {
    return !Options.Only || Options.Only->thread(Index);
  }
  bool skips(uint64_t At, RecordKind Kind) const;
  std::string extentMembers(const Extent &E);

  const Trace &T;
  const DumpOptions &Options;
  const TextSink &Sink;
  uint32_t NextTotal = 0; ///< type index of the next TypeTotal
};

void Dumper::members(std::string &Line, const void *Struct,
                     std::span<const Member> Members, const StringOf &Text) {
  for (const Member &M : Members) {
    if (M.As == Form::Chars) {
      const auto *Chars = static_cast<const char *>(Struct) + M.Offset;
      if (const size_t Length = strnlen(Chars, M.Size))
        Line.append(1, ' ').append(M.Key).append(1, '=') +=
            quoted({Chars, Length});
      continue;
    }
    uint64_t Value = 0;
    std::memcpy(&Value, static_cast<const char *>(Struct) + M.Offset, M.Size);
    if (Value == 0 && M.As != Form::Word)
      continue;
    Line += ' ';
    Line += M.Key;
    Line += '=';
    switch (M.As) {
    case Form::Decimal:
      Line += number(Value);
      break;
    case Form::Hex:
      Line += hex(Value);
      break;
    case Form::Signed:
      Line += number(static_cast<int64_t>(Value));
      break;
    case Form::Double: {
      double D;
      std::memcpy(&D, &Value, sizeof D);
      Line += number(D);
      break;
    }
    case Form::Word: {
      const auto Word = nameOf(M.Names, Value);
      Line += Word.empty() ? number(Value) : std::string(Word);
      break;
    }
    case Form::Words: {
      bool First = true;
      for (const Name &N : M.Names)
        if (Value & N.Value) {
          Line += First ? "" : ",";
          Line += N.Text;
          Value &= ~N.Value;
          First = false;
        }
      if (Value != 0)
        Line += (First ? "" : ",") + hex(Value);
      break;
    }
    case Form::Chars:
      break;
    case Form::Text:
      Line += quoted(Text ? Text(static_cast<StringOffset>(Value)) : "");
      break;
    }
  }
}

template <class R>
void Dumper::record(const char *Word, uint64_t At, const RecordHeader &H,
                    std::span<const Member> Members, R &Record) {
  std::string Line = std::string("  ") + Word;
  if (H.Bytes < sizeof(R) || !T.load(At, Record)) {
    Record = {};
    Line = std::string("  # ") + Word + " cut";
    return line(Line);
  }
  members(Line, &Record, Members, [&](StringOffset O) {
    return T.string(At, H.Bytes, O).value_or("");
  });
  line(Line);
}

void Dumper::frames(uint64_t Record, const RecordHeader &H, uint32_t Frames,
                    uint32_t Count) {
  const uint64_t Room =
      Frames < H.Bytes ? (H.Bytes - Frames) / sizeof(FrameRecord) : 0;
  uint64_t Length = 0; // length of strings; the reader reports an excess
  for (uint64_t I = 0; I < std::min<uint64_t>(Count, Room) && Length <= H.Bytes;
       ++I) {
    FrameRecord F;
    if (!T.load(Record + Frames + I * sizeof F, F))
      break;
    std::string Line = "    frame";
    members(Line, &F, frameMembers(), [&](StringOffset O) {
      const auto Text = T.string(Record, H.Bytes, O).value_or("");
      Length += Text.size();
      return Text;
    });
    line(Line);
  }
}

/// True if a record describes a row that is not to be shown.
bool Dumper::skips(uint64_t At, RecordKind Kind) const {
  const auto Read = [&](auto Record, auto Member) {
    return T.load(At, Record) ? Record.*Member : 0;
  };
  switch (Options.Only ? Kind : RecordKind{}) {
  case RecordKind::Type:
    return !type(Read(TypeRecord{}, &TypeRecord::Index));
  case RecordKind::Site:
    return !site(Read(SiteRecord{}, &SiteRecord::Id));
  case RecordKind::StackedSite:
    return !site(Read(StackedSiteRecord{}, &StackedSiteRecord::Id));
  case RecordKind::CalledSite:
    return !site(Read(CalledSiteRecord{}, &CalledSiteRecord::Id));
  case RecordKind::CallerCall:
    return !site(Read(CallerCallRecord{}, &CallerCallRecord::Id));
  case RecordKind::FoundType:
    return !site(Read(FoundTypeRecord{}, &FoundTypeRecord::Site));
  case RecordKind::StringCopy:
  case RecordKind::Source:
    return ofRows();
  case RecordKind::Object:
    return ofRows() && !type(Read(ObjectRecord{}, &ObjectRecord::Type));
  case RecordKind::Thread:
    return !thread(Read(ThreadRecord{}, &ThreadRecord::Index));
  default:
    return false;
  }
}

void Dumper::otherRecord(uint64_t At, const RecordHeader &H) {
  if (H.Kind == RecordKind::Note) {
    NoteRecord R;
    record("note", At, H, noteMembers(), R);
  } else if (StringCopyRecord C; H.Kind == RecordKind::StringCopy) {
    record("string-copy", At, H, stringCopyMembers(), C);
  } else if (SourceRecord S; H.Kind == RecordKind::Source) {
    record("source", At, H, sourceMembers(), S);
  } else if (FoundTypeRecord F; H.Kind == RecordKind::FoundType) {
    record("found-type", At, H, foundTypeMembers(), F);
  } else if (H.Kind == RecordKind::StackedSite) {
    StackedSiteRecord R;
    record("stacked-site", At, H, stackedSiteMembers(), R);
  } else if (H.Kind == RecordKind::CalledSite) {
    CalledSiteRecord R;
    record("called-site", At, H, calledSiteMembers(), R);
  } else if (H.Kind == RecordKind::CallerCall) {
    CallerCallRecord R;
    record("caller-call", At, H, callerCallMembers(), R);
  } else if (H.Kind == RecordKind::Profile) {
    ProfileRecord R;
    record("profile", At, H, profileMembers(), R);
  } else if (H.Kind == RecordKind::Phase) {
    PhaseRecord R;
    record("phase", At, H, phaseMembers(), R);
  } else if (H.Kind == RecordKind::Wait) {
    WaitRecord R;
    record("wait", At, H, waitMembers(), R);
  } else {
    Sink("  # record of kind " + number(static_cast<uint16_t>(H.Kind)) +
         " unknown\n");
  }
}

void Dumper::meta(const Extent &E) {
  const uint64_t Begin = E.Offset + sizeof(ExtentHeader);
  const uint64_t End = Begin + E.Whole;
  for (uint64_t At = Begin; At < End;) {
    RecordHeader H;
    if (End - At < sizeof H || !T.load(At, H) || H.Bytes < sizeof H ||
        H.Bytes % 8 != 0 || H.Bytes > End - At) {
      if (H.Bytes != 0 || H.Kind != RecordKind{})
        Sink("  # record cut or damaged\n");
      return;
    }
    if (skips(At, H.Kind)) {
      At += H.Bytes;
      continue;
    }
    comment(At, "record of " + number(H.Bytes) + " bytes");
    std::string Line;
    switch (H.Kind) {
    case RecordKind::Process: {
      Line = "  process";
      const char *Text =
          reinterpret_cast<const char *>(T.File->bytes().data() + At);
      std::string_view Rest(Text + sizeof H, H.Bytes - sizeof H);
      while (!Rest.empty() && Rest.back() == '\0')
        Rest.remove_suffix(1);
      while (!Rest.empty()) {
        const size_t Stop = Rest.find('\0');
        Line += ' ' + quoted(Rest.substr(0, Stop));
        if (Stop == std::string_view::npos)
          break;
        Rest.remove_prefix(Stop + 1);
      }
      line(Line);
      break;
    }
    case RecordKind::Type: {
      TypeRecord R;
      record("type", At, H, typeMembers(), R);
      const Type &Known = T.type(R.Index);
      for (uint64_t I = 0; I < (Known.Record == At ? Known.FieldCount : 0);
           ++I) {
        FieldRecord F;
        if (!T.load(At + R.Fields + I * sizeof F, F))
          break;
        Line = "    field";
        members(Line, &F, fieldMembers(), [&](StringOffset O) {
          return T.string(At, H.Bytes, O).value_or("");
        });
        line(Line);
      }
      break;
    }
    case RecordKind::Site: {
      SiteRecord R;
      record("site", At, H, siteMembers(), R);
      frames(At, H, R.Frames, R.FrameCount);
      break;
    }
    case RecordKind::Address: {
      AddressRecord R;
      record("address", At, H, addressMembers(), R);
      break;
    }
    case RecordKind::Stack: {
      StackRecord R;
      record("stack", At, H, stackMembers(), R);
      break;
    }
    case RecordKind::Symbol: {
      SymbolRecord R;
      record("symbol", At, H, symbolMembers(), R);
      frames(At, H, R.Frames, R.FrameCount);
      break;
    }
    case RecordKind::Name: {
      NameRecord R;
      record("name", At, H, nameMembers(), R);
      break;
    }
    case RecordKind::Module: {
      ModuleRecord R;
      if (H.Bytes < sizeof R || !T.load(At, R))
        break;
      Line = "  module";
      members(Line, &R, moduleMembers(), [&](StringOffset O) {
        return T.string(At, H.Bytes, O).value_or("");
      });
      if (R.BuildIdBytes > 0 && R.BuildId <= H.Bytes &&
          R.BuildIdBytes <= H.Bytes - R.BuildId) {
        constexpr char kHex[] = "0123456789abcdef";
        Line += " build-id=";
        for (uint32_t I = 0; I < R.BuildIdBytes; ++I) {
          const auto B =
              std::to_integer<unsigned>(T.File->bytes()[At + R.BuildId + I]);
          Line += kHex[B >> 4];
          Line += kHex[B & 15];
        }
      }
      line(Line);
      break;
    }
    case RecordKind::Thread: {
      ThreadRecord R;
      record("thread", At, H, threadMembers(), R);
      break;
    }
    case RecordKind::Object: {
      ObjectRecord R;
      record("object", At, H, objectMembers(), R);
      break;
    }
    default:
      otherRecord(At, H);
    }
    At += H.Bytes;
  }
}

void Dumper::rowLine(const Row &R, const Buckets &Lifetimes) {
  std::string Line = "  row";
  members(Line, &R, rowMembers());
  line(Line);
  for (unsigned O = 0; O < kOctaves; ++O) {
    if (R.Octaves[O] == 0)
      continue;
    Line = "    octave " + number(O);
    for (unsigned B = 0; B < kBucketsPerOctave; ++B) {
      const Buckets::Cell &C = Lifetimes.Cells[O * kBucketsPerOctave + B];
      if (C.Count != 0 || C.Bytes != 0)
        Line += ' ' + number(B) + '=' + number(C.Count) + '/' + number(C.Bytes);
    }
    line(Line);
  }
}

void Dumper::rows(const Extent &E) {
  for (uint64_t I = 0; I < E.Whole; ++I) {
    const RowRef Ref{E.Offset + sizeof(ExtentHeader) + I * sizeof(Row),
                     E.Header.Owner};
    if (const Row R = T.row(Ref); !row(R.Site, R.Type))
      continue;
    comment(Ref.Offset, "row");
    Buckets Lifetimes;
    if (!T.addBuckets(Ref, Lifetimes))
      Sink("  # the next row refers to lifetimes that are not there\n");
    rowLine(T.row(Ref), Lifetimes);
  }
}

void Dumper::snapshot(const Extent &E) {
  for (const Snapshot &S : T.Snapshots)
    if (S.Offset == E.Offset)
      for (uint32_t I = 0; I < S.Header.Rows; ++I) {
        Buckets Lifetimes;
        const Row R = T.snapshotRow(S, I, &Lifetimes);
        if (row(R.Site, R.Type))
          rowLine(R, Lifetimes);
      }
}

template <class R, class Predicate>
void Dumper::plain(const char *Word, const Extent &E,
                   std::span<const Member> Members, Predicate Want) {
  for (uint64_t I = 0; I < E.Whole; ++I) {
    R Element;
    if (!T.load(E.Offset + sizeof(ExtentHeader) + I * sizeof Element, Element))
      return;
    if (!Want(Element))
      continue;
    std::string Line = std::string("  ") + Word;
    members(Line, &Element, Members);
    line(Line);
  }
}

void Dumper::counters(const Extent &E) {
  for (uint64_t I = 0; I < E.Whole; I += 16) {
    std::string Line = "  counts";
    for (uint64_t J = I; J < std::min(I + 16, E.Whole); ++J) {
      uint64_t Count = 0;
      T.load(E.Offset + sizeof(ExtentHeader) + J * sizeof Count, Count);
      Line += ' ' + number(Count);
    }
    line(Line);
  }
}

void Dumper::ofSites(const Extent &E) {
  const auto Want = [&](const auto &P) { return site(P.Site); };
  if (E.Header.Kind == ExtentKind::Peak)
    plain<PeakEntry>("at-peak", E, peakMembers(), Want);
  else if (E.Header.Kind == ExtentKind::PeakRows)
    plain<PeakRow>("near-peak", E, peakRowMembers(), Want);
  else if (E.Header.Kind == ExtentKind::Mapped)
    plain<MappedTotal>("mapped", E, mappedMembers(), [&](const auto &M) {
      return M.Site == kAllMapped ? !ofRows() : site(M.Site);
    });
  else
    plain<FreeCell>("freed", E, freeMembers(), Want);
}

void Dumper::threads(const Extent &E) {
  const auto All = [](const auto &) { return true; };
  if (E.Header.Kind == ExtentKind::ThreadLifetimes)
    plain<ThreadLifetime>(
        "thread-life", E, threadLifetimeMembers(),
        [&](const ThreadLifetime &L) { return thread(L.Index); });
  else if (E.Header.Kind == ExtentKind::ThreadCrossings)
    plain<ThreadCrossing>("crossing", E, crossingMembers(), All);
  else if (E.Header.Kind == ExtentKind::ProfileCells)
    plain<ProfileCell>("sample", E, sampleMembers(), All);
  else
    plain<ThreadLine>("thread-line", E, threadLineMembers(), All);
}

/// A thread's stream continues over its extents; it is shown whole, below the
/// first of them.
void Dumper::events(const Extent &E) {
  if (!Options.Events)
    return Sink("  # " + number(E.Whole) + " bytes of events\n");
  for (const Extent &Other : T.Extents) {
    if (Other.Header.Kind == ExtentKind::Events &&
        Other.Header.Owner == E.Header.Owner) {
      if (Other.Offset != E.Offset)
        return Sink("  # continued above\n");
      break;
    }
  }
  EventStream Stream(T, E.Header.Owner);
  Event Some;
  uint64_t Last = 0;
  while (Stream.next(Some)) {
    if (!site(Some.Site)) {
      Last = Some.Ticks;
      continue;
    }
    std::string Line = "  event ";
    Line += nameOf(kEventNames, static_cast<uint64_t>(Some.Kind));
    Line += " site=" + number(Some.Site) + " size=" + number(Some.Size);
    if (Some.Clocked)
      Line += " time=" + number(Some.Ticks - Last);
    Last = Some.Ticks;
    if (Some.Timed)
      Line += " life=" + number(Some.Lifetime);
    if (Some.Kind == EventKind::Retag)
      Line += " from=" + number(Some.From);
    line(Line);
  }
  if (Stream.damage())
    Sink("  # " + Stream.damage()->status(T.fileName()).str() + "\n");
}

std::string Dumper::extentMembers(const Extent &E) {
  std::string Line;
  const std::pair<const char *, uint64_t> Plain[] = {
      {" owner=", E.Header.Owner},
      {" module=", E.Header.Module},
      {" sequence=", E.Header.Sequence},
      {" last-ticks=", E.Header.LastTicks}};
  for (const auto &[Key, Value] : Plain)
    if (Value != 0)
      Line += Key + number(Value);
  SnapshotHeader H;
  if (E.Header.Kind == ExtentKind::Snapshot &&
      T.load(E.Offset + sizeof(ExtentHeader), H))
    members(Line, &H, snapshotMembers());
  return Line;
}

void Dumper::run() {
  std::string Line = "header";
  members(Line, &T.Header, headerMembers());
  if (!T.Host.empty())
    Line += " host=" + quoted(T.Host);
  if (!T.Executable.empty())
    Line += " executable=" + quoted(T.Executable);
  line(Line);
  for (const Extent &E : T.Extents) {
    const bool Shown = E.Header.Kind != ExtentKind::Octaves;
    // Counters are identified only by their positions.
    if (!thread(E.Header.Owner) ||
        (ofRows() && (E.Header.Kind == ExtentKind::Counters ||
                      E.Header.Kind == ExtentKind::MarkObjects)))
      continue;
    comment(E.Offset, "extent of " + number(E.Header.Bytes) + " bytes, used " +
                          number(E.Header.Used) + ", whole " + number(E.Whole) +
                          ", sequence " + number(E.Header.Sequence) +
                          ", checksum " + hex(E.Header.Checksum) +
                          (Shown ? "" : ", lifetimes of rows"));
    if (!Shown)
      continue;
    const auto Word =
        nameOf(kExtentNames, static_cast<uint64_t>(E.Header.Kind));
    if (Word.empty()) {
      Sink("# extent of kind " + number(static_cast<uint16_t>(E.Header.Kind)) +
           " unknown\n");
      continue;
    }
    Line = "extent " + std::string(Word) + extentMembers(E);
    line(Line);
    switch (E.Header.Kind) {
    case ExtentKind::Meta:
      meta(E);
      break;
    case ExtentKind::Rows:
    case ExtentKind::AllocationLifetimes:
      rows(E);
      break;
    case ExtentKind::Cells:
      plain<Cell>("cell", E, cellMembers(), [&](const Cell &C) {
        return C.Type == kProcessCell ? !ofRows() : type(C.Type);
      });
      break;
    case ExtentKind::Types:
      plain<TypeTotal>("total", E, totalMembers(), [&](const TypeTotal &) {
        const uint32_t Index = NextTotal++;
        if (ofRows() && type(Index))
          Sink("  # of type " + number(Index) + "\n");
        return type(Index);
      });
      break;
    case ExtentKind::Peak:
    case ExtentKind::PeakRows:
    case ExtentKind::Frees:
    case ExtentKind::Mapped:
      ofSites(E);
      break;
    case ExtentKind::MarkRows:
      plain<MarkRow>("row-at", E, markRowMembers(), [&](const MarkRow &M) {
        return row(M.Site, M.Type) && thread(M.Thread);
      });
      break;
    case ExtentKind::MarkObjects:
      plain<MarkObject>("objects-at", E, markObjectMembers(),
                        [](const MarkObject &) { return true; });
      break;
    case ExtentKind::MarkPeaks:
      plain<MarkPeak>("peak-at", E, markPeakMembers(),
                      [&](const MarkPeak &M) { return type(M.Type); });
      break;
    case ExtentKind::ThreadLifetimes:
    case ExtentKind::ThreadCrossings:
    case ExtentKind::ThreadLines:
    case ExtentKind::ProfileCells:
      threads(E);
      break;
    case ExtentKind::Counters:
      counters(E);
      break;
    case ExtentKind::Events:
      events(E);
      break;
    case ExtentKind::Snapshot:
      snapshot(E);
      break;
    case ExtentKind::Octaves:
      break;
    }
  }
  if (Options.Comments)
    for (const Diagnostic &F : T.Diagnostics)
      Sink("# " + F.status(T.fileName()).str() + "\n");
}

} // namespace

void dump(const Trace &T, const DumpOptions &Options, const TextSink &Sink) {
  Dumper(T, Options, Sink).run();
}

} // namespace inmem::trace
