//===- TextTest.cpp - The text form, there and back -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"
#include "trace/format/FeatureFormat.h"
#include "trace/format/ThreadFormat.h"
#include "trace/text/TextFields.h"

#include <algorithm>

using namespace inmem::trace;
using namespace inmem::test;

namespace {

TEST(Text, AssemblesWhatItDumps) {
  const auto First = assembled(kSample);
  const std::string Once = dump((*readBytes(First))[0]);
  const auto Second = assembled(Once);
  EXPECT_EQ(First, Second);
  EXPECT_EQ(Once, dump((*readBytes(Second))[0]));
  for (const char *Word :
       {"header", "process", "type", "field", "site", "frame", "module",
        "thread", "object", "note", "phase", "row", "octave", "cell", "total",
        "counts", "event", "extent snapshot"})
    EXPECT_NE(Once.find(std::string(Word) + " "), std::string::npos) << Word;
}

/// A part of a structure that its line need not show.
struct Gap {
  size_t Offset, Bytes;
};
#define GAP(Struct, Field)                                                     \
  Gap { offsetof(Struct, Field), sizeof(Struct::Field) }

/// Offsets of bytes that are neither in a member nor in a gap, or in both.
std::string notOnce(size_t Bytes, std::span<const Member> Members,
                    const std::vector<Gap> &Gaps) {
  std::vector<int> Times(Bytes);
  const auto Add = [&](size_t Offset, size_t Size) {
    for (size_t I = Offset; I < std::min(Offset + Size, Bytes); ++I)
      ++Times[I];
  };
  for (const Member &M : Members)
    Add(M.Offset, M.Size);
  for (const Gap &G : Gaps)
    Add(G.Offset, G.Bytes);
  std::string Out;
  for (size_t I = 0; I < Bytes; ++I)
    if (Times[I] != 1)
      Out += (Out.empty() ? "" : " ") + std::to_string(I);
  return Out;
}

// SourceRecord with one field more: that is one line of its list.
#define LONGER_SOURCE_RECORD(FIELD, TEXT, ONLY)                                \
  INMEM_SOURCE_RECORD(FIELD, TEXT, ONLY)                                       \
  FIELD(2, uint32_t, Lines, "lines", Decimal)
struct LongerSourceRecord {
  RecordHeader Header;
  INMEM_STORED_IN(LONGER_SOURCE_RECORD)
};
struct LongerSource {
  INMEM_SEEN_IN(LONGER_SOURCE_RECORD)
};

TEST(Text, AFieldIsAddedInOnePlace) {
  LongerSourceRecord Written{};
  Written.Hash = 9;
  Written.File = 3;
  Written.Lines = 7;
  LongerSource Seen;
#define STRING(Rank, Name, Key)                                                \
  Taken.Name = std::string_view("abcdef").substr(Stored.Name);
  INMEM_TAKE_IN(Seen, Written, STRING, LONGER_SOURCE_RECORD)
  EXPECT_EQ(Seen.Hash, 9u);
  EXPECT_EQ(Seen.File, "def");
  EXPECT_EQ(Seen.Lines, 7u);
  const auto Words = INMEM_MEMBERS_OF(LongerSourceRecord, LONGER_SOURCE_RECORD);
  ASSERT_EQ(Words.size(), sourceMembers().size() + 1);
  EXPECT_EQ(Words[0].Key, "file");
  EXPECT_EQ(Words[2].Key, "lines");
  EXPECT_EQ(Words[2].Offset, offsetof(LongerSourceRecord, Lines));
  EXPECT_EQ(Words[2].Size, sizeof(Seen.Lines));
}

TEST(Text, ALineShowsEachFieldOfItsStructure) {
  const auto Find = [](std::string_view Word) {
    if (const auto Plain = plainElement(Word))
      return *Plain;
    const auto Record = recordShape(Word);
    return Record ? PlainElement{Record->Bytes, Record->Members}
                  : PlainElement{0, {}};
  };
  const Gap Header{0, sizeof(RecordHeader)};
  // Numbers and offsets of the lines that follow are counted, not written.
  const std::vector<std::pair<std::string_view, std::vector<Gap>>> Lines = {
      {"at-peak", {GAP(PeakEntry, Reserved)}},
      {"freed", {}},
      {"mapped", {}},
      {"row-at", {}},
      {"objects-at", {GAP(MarkObject, Reserved)}},
      {"peak-at", {}},
      {"near-peak", {}},
      {"thread-life", {}},
      {"crossing", {GAP(ThreadCrossing, Reserved)}},
      {"thread-line", {}},
      {"sample", {}},
      {"cell", {GAP(Cell, Flushes)}},
      {"total", {GAP(TypeTotal, Reserved)}},
      {"type", {Header, GAP(TypeRecord, FieldCount), GAP(TypeRecord, Fields)}},
      {"site", {Header, GAP(SiteRecord, FrameCount), GAP(SiteRecord, Frames)}},
      {"module",
       {Header, GAP(ModuleRecord, BuildIdBytes), GAP(ModuleRecord, BuildId)}},
      {"thread", {Header, GAP(ThreadRecord, Reserved)}},
      {"object", {Header, GAP(ObjectRecord, Reserved1)}},
      {"string-copy", {Header, GAP(StringCopyRecord, Reserved)}},
      {"source", {Header}},
      {"note", {Header}},
      {"profile", {Header}},
      {"wait", {Header}},
      {"phase", {GAP(RecordHeader, Kind), GAP(RecordHeader, Bytes)}},
      {"address", {Header, GAP(AddressRecord, Reserved)}},
      {"stack", {Header}},
      {"stacked-site", {Header, GAP(StackedSiteRecord, Reserved)}},
      {"called-site", {Header}},
      {"caller-call", {Header}},
      {"symbol",
       {Header, GAP(SymbolRecord, FrameCount), GAP(SymbolRecord, Frames),
        GAP(SymbolRecord, Reserved)}},
      {"name", {Header, GAP(NameRecord, Reserved)}},
      {"found-type", {Header, GAP(FoundTypeRecord, Reserved)}}};
  for (const auto &[Word, Gaps] : Lines) {
    const PlainElement Found = Find(Word);
    ASSERT_GT(Found.Bytes, 0u) << Word;
    EXPECT_EQ(notOnce(Found.Bytes, Found.Members, Gaps), "") << Word;
  }
  EXPECT_EQ(notOnce(sizeof(FieldRecord), fieldMembers(),
                    {GAP(FieldRecord, Reserved0), GAP(FieldRecord, Reserved1)}),
            "");
  EXPECT_EQ(notOnce(sizeof(FrameRecord), frameMembers(), {}), "");
  EXPECT_EQ(notOnce(sizeof(SnapshotHeader), snapshotMembers(),
                    {
                        GAP(SnapshotHeader, Rows),
                        GAP(SnapshotHeader, OctaveBlocks),
                    }),
            "");
}

TEST(Text, StringsKeepEveryByte) {
  const std::string Name = "a \"b\" \\ \n\t\x01 é #x";
  const Trace T = readText("header\nextent meta\n type index=1 id=1 name=" +
                           inmem::trace::quoted(Name) + "\n");
  EXPECT_EQ(T.type(1).Name, Name);
}

TEST(Text, ErrorsNameTheLine) {
  const auto Fails = [](std::string_view Text, std::string_view Message) {
    const auto Bytes = assemble(Text);
    ASSERT_FALSE(Bytes);
    EXPECT_EQ(Bytes.status().str(), Message);
  };
  Fails("", "line 1: the first line is `header ...`");
  Fails("header\nextent nonsense\n", "line 2: no extent 'nonsense'");
  Fails("header\nextent meta\n type nose=1\n", "line 3: no member 'nose' here");
  Fails("header\nextent meta\n type index=x\n",
        "line 3: 'index' needs a number, not 'x'");
  Fails("header clock=sundial\n",
        "line 1: 'clock' needs a number or one of auto, exact, events, not "
        "'sundial'");
  Fails("header\nextent meta\n field name=\"x\"\n",
        "line 3: 'field' without the record it belongs to");
  Fails("header\nextent meta\n type name=\"x\n",
        "line 3: string without an end");
}

TEST(Text, TypesForPeopleShowOffsetsAndBitFields) {
  std::string Out;
  dumpTypes(readText(kSample), [&](std::string_view Piece) { Out += Piece; });
  EXPECT_NE(Out.find("Foo  (24 bytes, align 8"), std::string::npos) << Out;
  EXPECT_NE(Out.find("+16.2"), std::string::npos) << Out;
  EXPECT_NE(Out.find("pointer Foo * next"), std::string::npos) << Out;
}

/// One type, one site and one thread.
class OneSite : public DumpFilter {
public:
  bool Rows = false;
  bool choosesRows() const override { return Rows; }
  bool row(uint32_t Site, uint32_t Type) const override {
    return Site == 3 && Type == 2;
  }
  bool type(uint32_t Index) const override { return Index == 2; }
  bool site(uint32_t Id) const override { return Id == 3; }
  bool thread(uint32_t Index) const override { return Index != 1; }
};

size_t lines(const std::string &Text, const std::string &With) {
  size_t Count = 0;
  for (size_t At = 0; (At = Text.find(With, At)) != std::string::npos; ++At)
    ++Count;
  return Count;
}

TEST(Text, AFilterKeepsTheLinesThatItChoosesAndNoOther) {
  OneSite Only;
  Only.Rows = true;
  DumpOptions Options;
  Options.Only = &Only;
  // Its row comes after another of the same extent, and before one.
  const std::string Out = dump(readText(kSample), Options);
  EXPECT_EQ(lines(Out, "\n  row site=3 "), 1u) << Out;
  EXPECT_EQ(lines(Out, "\n  row "), 1u) << Out;
  Only.Rows = false; // what names a site and no type
  const std::string Peaks = dump(readText(kEverything), Options);
  EXPECT_EQ(lines(Peaks, "\n  at-peak site=3 "), 1u) << Peaks;
  EXPECT_EQ(lines(Peaks, "\n  at-peak "), 1u) << Peaks;
  EXPECT_EQ(lines(Peaks, "\n  freed "), 0u) << Peaks;
}

TEST(Text, AFilterOfMarksNeedsBothRowAndThread) {
  class Second : public OneSite {
    bool row(uint32_t Site, uint32_t) const override { return Site == 1; }
  } Only;
  DumpOptions Options;
  Options.Only = &Only;
  const std::string Out = dump(readText(R"(
header state=complete pid=8
extent mark-rows
  row-at snapshot=1 thread=1 site=1 type=1 allocations=1 bytes=24
  row-at snapshot=1 thread=2 site=1 type=1 allocations=2 bytes=48
  row-at snapshot=1 thread=2 site=2 type=1 allocations=3 bytes=72
)"),
                               Options);
  EXPECT_EQ(lines(Out, "\n  row-at "), 1u) << Out;
  EXPECT_EQ(lines(Out, "allocations=2 "), 1u) << Out;
}

} // namespace
