//===- DamageTest.cpp - Cut and damaged traces ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever the bytes, reading ends, stays within the file and keeps what is
// whole. Run under ASan and UBSan these tests check memory too.
//
//===----------------------------------------------------------------------===//
#include "support/SampleTrace.h"

#include "trace/format/Checksum.h"
#include "trace/read/Verifier.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

using namespace inmem::trace;
using namespace inmem::test;

namespace {

/// Touches everything that is read on demand.
size_t readEverything(const std::vector<std::byte> &Bytes) {
  const auto All = readBytes(Bytes);
  if (!All)
    return 0;
  size_t Sum = 0;
  for (const Trace &T : *All) {
    Sum += dump(T, {true, true}).size();
    dumpTypes(T, [&](std::string_view Piece) { Sum += Piece.size(); });
    Sum += verify(T).size();
    for (const Entry &E : T.Entries)
      Sum += T.buckets(E).Cells[0].Count;
  }
  return Sum;
}

/// Where the extents of the sample begin, with its header.
std::vector<size_t> boundaries(const std::vector<std::byte> &Bytes) {
  const auto All = readBytes(Bytes);
  std::vector<size_t> Out;
  for (const Extent &E : (*All)[0].Extents)
    Out.push_back(E.Offset);
  return Out;
}

/// Changes the header of the extent at `At`, as a writer would.
template <class Change>
void changeHeader(std::vector<std::byte> &Bytes, size_t At, Change Apply) {
  ExtentHeader E;
  std::memcpy(&E, &Bytes[At], sizeof E);
  Apply(E);
  E.Identity = identityOf(E);
  std::memcpy(&Bytes[At], &E, sizeof E);
  const uint64_t None = 0; // no longer sealed
  std::memcpy(&Bytes[kSealOffset], &None, sizeof None);
}

TEST(Damage, TruncationAtEveryByteKeepsWhatIsWhole) {
  const auto Whole = assembled(kSample);
  const Trace Reference = (*readBytes(Whole))[0];
  for (size_t Length = 0; Length < Whole.size();
       Length += Length < 6000 ? 1 : 13) {
    const std::vector<std::byte> Part(
        Whole.begin(), Whole.begin() + static_cast<ptrdiff_t>(Length));
    const auto All = readBytes(Part);
    if (!All) {
      EXPECT_LT(Length, sizeof(FileHeader));
      continue;
    }
    ASSERT_EQ(All->size(), 1u);
    const Trace &T = (*All)[0];
    EXPECT_TRUE(T.Cut) << Length;
    EXPECT_FALSE(T.complete());
    EXPECT_FALSE(T.damaged())
        << Length << ": " << T.Diagnostics.back().status("t").str();
    EXPECT_LE(T.Entries.size(), Reference.Entries.size());
    for (const Entry &E : T.Entries)
      EXPECT_LE(E.Totals.Allocations, 10u);
    readEverything(Part);
  }
}

TEST(Damage, AnExtentThatIsWholeSurvivesTheCutOfTheNext) {
  const auto Whole = assembled(kSample);
  const auto Starts = boundaries(Whole);
  // Cut in the middle of the second Rows extent (meta, rows, rows, ...).
  std::vector<std::byte> Part(
      Whole.begin(),
      Whole.begin() + static_cast<ptrdiff_t>(Starts[2] + 64 + 320 + 5));
  const auto All = readBytes(Part);
  ASSERT_TRUE(All);
  const Trace &T = (*All)[0];
  EXPECT_EQ(T.Sites.size(), 6u);
  ASSERT_EQ(T.Entries.size(), 3u);
  EXPECT_EQ(T.Entries[0].Totals.Frees, 8u); // both threads' rows of site 1
  ASSERT_EQ(T.Extents.size(), 3u);
  EXPECT_EQ(T.Extents[1].Whole, 3u);
  EXPECT_EQ(T.Extents[2].Whole, 1u); // of three
}

TEST(Damage, ASnapshotThatIsCutIsNone) {
  // Three rows and an octave; the file ends with them.
  const std::string Text =
      "header\nextent meta\n type index=1 id=1 size=8 name=\"A\"\n"
      " site id=1 type=1 key=1 kind=new function=\"f\"\n"
      " phase ticks=3 snapshot=3 name=\"half\"\n"
      "extent rows owner=1 sequence=2\n"
      " row site=1 type=1 allocations=9 bytes=72\n"
      "extent snapshot sequence=3 kind=manual ticks=3\n"
      " row site=1 type=1 allocations=4 bytes=32 frees=1 freed-bytes=8 "
      "timed=1 weighted-timed=1 sum=2 min=2 max=2\n"
      "  octave 0 2=1/8\n";
  auto Bytes = assembled(Text);
  const size_t Start = boundaries(Bytes).back();
  const size_t End = Start + sizeof(ExtentHeader) + sizeof(SnapshotHeader) +
                     sizeof(inmem::trace::Row) + sizeof(Octave);
  ASSERT_LE(End, Bytes.size());
  Bytes.resize(End);
  ASSERT_EQ((*readBytes(Bytes))[0].Snapshots.size(), 1u);
  for (const size_t Length :
       {End - 1, End - sizeof(Octave), End - sizeof(Octave) - 1,
        Start + sizeof(ExtentHeader) + sizeof(SnapshotHeader) + 1}) {
    Bytes.resize(Length);
    const Trace T = (*readBytes(Bytes))[0];
    EXPECT_TRUE(T.Cut);
    EXPECT_TRUE(T.Snapshots.empty()) << Length;
    EXPECT_EQ(T.Entries.at(0).Totals.Allocations, 9u);
  }
}

/// All that a report can show of a trace.
std::string shown(const std::vector<Trace> &All) {
  std::string Out;
  for (const Trace &T : All)
    Out += dump(T, {true, false});
  return Out;
}

/// Changes each byte of a sealed trace that says something, and some of the
/// others: a reader must get an error, or see what was there before.
void changeEachByte(const std::vector<std::byte> &Whole, size_t Step = 1) {
  const auto Before = readBytes(Whole);
  ASSERT_TRUE(Before);
  ASSERT_TRUE(std::all_of(Before->begin(), Before->end(),
                          [](const Trace &T) { return T.verified(); }));
  const std::string Reference = shown(*Before);
  auto Bytes = Whole;
  unsigned Values = 0;
  for (size_t At = 0; At < Whole.size(); At += Step) {
    if (Whole[At] == std::byte{0} && At % 97 != 0)
      continue; // most are room that nothing uses
    const auto Mask = static_cast<std::byte>(++Values % 255 + 1);
    Bytes[At] ^= Mask;
    const auto After = readBytes(Bytes);
    if (After &&
        std::all_of(After->begin(), After->end(),
                    [](const Trace &T) { return T.verified(); }) &&
        After->size() == Before->size()) {
      const std::string Found = shown(*After);
      const bool Told = Found.find("\n  # ") != std::string::npos;
      EXPECT_TRUE(Told || Found == Reference) << "byte " << At;
    }
    Bytes[At] ^= Mask;
  }
}

TEST(Damage, NoChangedByteGoesUnnoticed) { changeEachByte(assembled(kSample)); }

TEST(Damage, NoChangedByteOfSeveralProcessesGoesUnnoticed) {
  auto First = assembled("header pid=1 followers=1\nextent meta\n"
                         " process \"a\"\n");
  const auto Second = assembled("header pid=2\nextent rows owner=1\n"
                                " row site=1 allocations=1 bytes=8\n");
  First.insert(First.end(), Second.begin(), Second.end());
  changeEachByte(First);
}

TEST(Damage, AChangedByteOfAZeroIsNoticedToo) {
  const auto Whole = assembled(kSample);
  // Within the rows, where most of what a report shows is 0.
  const size_t Row = boundaries(Whole)[1] + sizeof(ExtentHeader);
  for (size_t At = Row; At < Row + 3 * sizeof(inmem::trace::Row); ++At) {
    auto Bytes = Whole;
    Bytes[At] ^= std::byte{0x40};
    const auto All = readBytes(Bytes);
    ASSERT_TRUE(All);
    EXPECT_TRUE((*All)[0].damaged()) << At;
    EXPECT_FALSE((*All)[0].verified()) << At;
  }
}

TEST(Damage, WhatHasABadChecksumIsLeftOutAndTheRestIsThere) {
  auto Bytes = assembled(kSample);
  const auto Starts = boundaries(Bytes);
  Bytes[Starts[2] + sizeof(ExtentHeader) + 8] ^= std::byte{1};
  const Trace T = (*readBytes(Bytes))[0];
  EXPECT_TRUE(T.damaged());
  EXPECT_EQ(T.Extents.size(), Starts.size() - 1);
  EXPECT_EQ(T.Entries.size(), 3u); // the first thread's
  EXPECT_EQ(T.Diagnostics[0].Offset,
            Starts[2] + offsetof(ExtentHeader, Checksum));
}

TEST(Damage, ARunningProcessHasNoChecksumsAndNobodySaysItHas) {
  const Trace T = readText("header state=running\nextent meta\n");
  EXPECT_FALSE(T.Sealed);
  EXPECT_FALSE(T.verified());
  EXPECT_FALSE(T.damaged());
}

TEST(Damage, AnExtentThatWasFullHasAChecksumWhileTheProcessRuns) {
  auto Bytes = assembled("header state=running\nextent rows owner=1\n"
                         " row site=1 allocations=1 bytes=8\n");
  changeHeader(Bytes, 4096, [](ExtentHeader &E) { E.Flags |= kExtentFinal; });
  seal(Bytes);
  EXPECT_FALSE((*readBytes(Bytes))[0].damaged());
  Bytes[4096 + sizeof(ExtentHeader) + 8] ^= std::byte{1};
  EXPECT_TRUE((*readBytes(Bytes))[0].damaged());
}

TEST(Damage, TruncationOfSeveralProcessesIsACut) {
  auto Both = assembled("header pid=1 followers=1\nextent meta\n"
                        " process \"a\"\n");
  const size_t First = Both.size();
  const auto Second = assembled("header pid=2\nextent meta\n process \"b\"\n");
  Both.insert(Both.end(), Second.begin(), Second.end());
  for (size_t Length = sizeof(FileHeader);
       Length<Both.size(); Length += Length + 16> First && Length < First + 16
           ? 1
           : 7) {
    const auto All = readBytes(
        {Both.begin(), Both.begin() + static_cast<ptrdiff_t>(Length)});
    ASSERT_TRUE(All);
    EXPECT_FALSE(std::all_of(All->begin(), All->end(), [](const Trace &T) {
      return T.verified();
    })) << Length;
  }
}

TEST(Damage, AnyBytesWithGoodChecksumsAreHarmless) {
  const auto Whole = assembled(kSample);
  std::mt19937 Random(1234);
  for (int Round = 0; Round < 2000; ++Round) {
    auto Bytes = Whole;
    for (int I = 0; I < 1 + Round % 40; ++I) {
      // Half of them where something is.
      const size_t At = Random() % Bytes.size();
      const size_t Page = At & ~size_t{4095};
      Bytes[Round % 2 ? At : Page + At % 700] =
          static_cast<std::byte>(Random());
    }
    seal(Bytes);
    readEverything(Bytes);
  }
}

TEST(Damage, AnImpossibleCountIsReportedWithItsPlace) {
  auto Bytes = assembled(kSample);
  const size_t Rows = boundaries(Bytes)[1];
  const uint64_t Used = 1'000'000;
  std::memcpy(&Bytes[Rows + offsetof(ExtentHeader, Used)], &Used, sizeof Used);
  const auto All = readSealed(Bytes);
  ASSERT_TRUE(All);
  const Trace &T = (*All)[0];
  ASSERT_TRUE(T.damaged());
  const std::string Message = T.Diagnostics[0].status("f").str();
  EXPECT_NE(Message.find("f: at byte " +
                         std::to_string(Rows + offsetof(ExtentHeader, Used))),
            std::string::npos)
      << Message;
  EXPECT_NE(Message.find("found 1000000"), std::string::npos);
}

TEST(Damage, AnExtentOfSizeZeroDoesNotLoop) {
  auto Bytes = assembled(kSample);
  const size_t Rows = boundaries(Bytes)[1];
  changeHeader(Bytes, Rows, [](ExtentHeader &E) { E.Bytes = 0; });
  const auto All = readBytes(Bytes);
  ASSERT_TRUE(All);
  EXPECT_TRUE((*All)[0].damaged());
  EXPECT_EQ((*All)[0].Extents.size(),
            boundaries(assembled(kSample)).size() - 1);
}

TEST(Damage, AHugeExtentIsACutAndNotAnAllocation) {
  auto Bytes = assembled(kSample);
  const size_t Rows = boundaries(Bytes)[1];
  changeHeader(Bytes, Rows,
               [](ExtentHeader &E) { E.Bytes = E.Used = ~uint64_t{0} - 4095; });
  const auto All = readBytes(Bytes);
  ASSERT_TRUE(All);
  EXPECT_TRUE((*All)[0].Cut);
}

/// The trace's only record of a kind, and where it begins.
template <class T>
std::pair<T, size_t> recordOf(const std::vector<std::byte> &Bytes,
                              RecordKind Kind) {
  T Record;
  RecordHeader H;
  for (size_t At = 4096 + sizeof(ExtentHeader);; At += H.Bytes) {
    std::memcpy(&H, &Bytes.at(At), sizeof H);
    if (H.Kind == Kind) {
      std::memcpy(&Record, &Bytes[At], sizeof Record);
      return {Record, At};
    }
    if (H.Bytes == 0)
      throw std::runtime_error("no such record");
  }
}

TEST(Damage, OneLongStringMayNotBeThatOfManyChildren) {
  // Else a file of a megabyte could name gigabytes.
  const std::string Long(300, 'x');
  const auto With = [&](const std::string &Child) {
    std::string Text =
        "header\nextent meta\n type index=1 id=1 size=8 name=\"A\"\n";
    for (int I = 0; I < 3 && Child.starts_with("  field"); ++I)
      Text += Child + (I == 0 ? Long : "y") + "\"\n";
    Text += " site id=1 type=1 key=1 kind=new function=\"f\"\n";
    for (int I = 0; I < 3 && Child.starts_with("  frame"); ++I)
      Text += Child + (I == 0 ? Long : "y") + "\"\n";
    return assembled(Text);
  };
  const auto Refused = [](std::vector<std::byte> Bytes, size_t First,
                          size_t Size, size_t Member) {
    EXPECT_FALSE((*readSealed(Bytes))[0].damaged());
    for (size_t I = 1; I < 3; ++I)
      std::memcpy(&Bytes[First + I * Size + Member], &Bytes[First + Member],
                  sizeof(StringOffset));
    const Trace T = (*readSealed(std::move(Bytes)))[0];
    ASSERT_TRUE(T.damaged());
    EXPECT_NE(T.Diagnostics[0].status("f").str().find("strings of a record"),
              std::string::npos);
  };
  auto Bytes = With("  frame line=1 function=\"");
  const auto [S, AtSite] = recordOf<SiteRecord>(Bytes, RecordKind::Site);
  Refused(Bytes, AtSite + S.Frames, sizeof(FrameRecord),
          offsetof(FrameRecord, Function));
  Bytes = With("  field size=1 name=\"");
  const auto [T, AtType] = recordOf<TypeRecord>(Bytes, RecordKind::Type);
  Refused(Bytes, AtType + T.Fields, sizeof(FieldRecord),
          offsetof(FieldRecord, Name));
}

TEST(Damage, ADumpDoesNotRepeatOneLongStringForEachFrame) {
  const std::string Long(4000, 'x');
  std::string Text = "header\nextent meta\n"
                     " site id=1 key=1 kind=new function=\"f\"\n"
                     "  frame function=\"" +
                     Long + "\"\n";
  for (int I = 0; I < 200; ++I)
    Text += "  frame function=\"y\"\n";
  auto Bytes = assembled(Text);
  const auto [S, At] = recordOf<SiteRecord>(Bytes, RecordKind::Site);
  const size_t First = At + S.Frames + offsetof(FrameRecord, Function);
  for (size_t I = 1; I <= 200; ++I)
    std::memcpy(&Bytes[First + I * sizeof(FrameRecord)], &Bytes[First],
                sizeof(StringOffset));
  const std::string Out = dump((*readSealed(std::move(Bytes)))[0]);
  EXPECT_NE(Out.find(Long), std::string::npos);
  EXPECT_LT(Out.size(), 10 * Long.size());
}

TEST(Damage, ASymbolOfAnUnknownAddressIsReportedWithItsPlace) {
  const auto Bytes = assembled("header\nextent meta\n module id=1\n"
                               " address id=1 module=1\n symbol address=2\n"
                               "  frame function=\"f\"\n");
  const Trace T = (*readBytes(Bytes))[0];
  ASSERT_EQ(T.Diagnostics.size(), 1u);
  EXPECT_EQ(T.Diagnostics[0].What, "address of a symbol");
  EXPECT_EQ(T.Diagnostics[0].Offset,
            recordOf<SymbolRecord>(Bytes, RecordKind::Symbol).second +
                offsetof(SymbolRecord, Address));
  EXPECT_EQ(T.Diagnostics[0].Expected, "1 to 1");
  EXPECT_EQ(T.Diagnostics[0].Found, "2");
}

TEST(Damage, AHugeIndexIsNoAllocation) {
  const Trace T = readText("header\nextent meta\n"
                           " type index=4000000000 id=1 name=\"A\"\n"
                           " site id=4000000000\n module id=4000000000\n"
                           "extent rows owner=1\n row site=4000000000 "
                           "allocations=1 bytes=1\n");
  EXPECT_TRUE(T.damaged());
  EXPECT_EQ(T.Types.size(), 1u);
  EXPECT_EQ(T.Sites.size(), 1u);
  EXPECT_TRUE(T.Entries.empty());
}

TEST(Damage, ARowMayNotReferToTheLifetimesOfAnotherThread) {
  auto Bytes = assembled(kSample);
  const auto All = readBytes(Bytes);
  const Trace &T = (*All)[0];
  // Thread 1's first row gets the block of thread 2's.
  const Row Theirs = T.row(T.Rows[3]);
  const size_t At = T.Rows[0].Offset + offsetof(Row, Octaves) + 4 * 2;
  std::memcpy(&Bytes[At], &Theirs.Octaves[2], 4);
  const auto Again = readSealed(Bytes);
  Buckets Lifetimes;
  EXPECT_FALSE((*Again)[0].addBuckets((*Again)[0].Rows[0], Lifetimes));
}

TEST(Damage, ARecordThatIsTooShortSaysNothing) {
  auto Bytes = assembled("header\nextent meta\n"
                         " type index=1 id=1 size=8 name=\"A\"\n"
                         " type index=2 id=2 size=9 name=\"B\"\n");
  const auto [First, At] = recordOf<TypeRecord>(Bytes, RecordKind::Type);
  const size_t Second = At + First.Header.Bytes;
  const uint32_t Short = sizeof(RecordHeader) + 8;
  const uint64_t Used = Second + Short - (4096 + sizeof(ExtentHeader));
  std::memcpy(&Bytes[Second + offsetof(RecordHeader, Bytes)], &Short,
              sizeof Short);
  changeHeader(Bytes, 4096, [&](ExtentHeader &E) { E.Used = Used; });
  const Trace T = (*readSealed(Bytes))[0];
  ASSERT_EQ(T.Diagnostics.size(), 1u);
  EXPECT_EQ(T.Diagnostics[0].Offset, Second);
  EXPECT_EQ(T.Diagnostics[0].Expected,
            "at least " + std::to_string(sizeof(TypeRecord)) + " bytes");
  ASSERT_EQ(T.Types.size(), 2u);
  EXPECT_EQ(T.type(1).Name, "A");
  EXPECT_EQ(T.type(1).Size, 8u);
}

TEST(Damage, RowsThatReferBehindTheTraceShareNoLifetimes) {
  // Where the reference leads is one finding; that two have it is not another.
  auto Bytes = assembled("header\nextent meta\n site id=1\n"
                         "extent rows owner=1\n"
                         " row site=1 allocations=1 bytes=8\n"
                         "extent rows owner=2\n"
                         " row site=1 allocations=1 bytes=8\n");
  const auto All = readBytes(Bytes);
  const uint32_t Behind = static_cast<uint32_t>(Bytes.size() / 64 + 1);
  for (const RowRef &Ref : (*All)[0].Rows)
    std::memcpy(&Bytes[Ref.Offset + offsetof(Row, Octaves)], &Behind,
                sizeof Behind);
  const Trace T = (*readSealed(Bytes))[0];
  EXPECT_FALSE(T.damaged());
  Buckets Lifetimes;
  for (const RowRef &Ref : T.Rows)
    EXPECT_FALSE(T.addBuckets(Ref, Lifetimes));
  EXPECT_EQ(verify(T).size(), 2u);
}

TEST(Damage, AFileThatEndsBetweenProcessesSaysHowManyAreMissing) {
  const Trace T = readText("header followers=2\nextent meta\n");
  EXPECT_TRUE(T.Cut);
  ASSERT_EQ(T.Diagnostics.size(), 1u);
  EXPECT_EQ(T.Diagnostics[0].What, "file ends between processes");
  EXPECT_EQ(T.Diagnostics[0].Expected, "2 more");
}

TEST(Damage, ADamagedSecondProcessLeavesTheFirst) {
  auto Bytes = assembled("header pid=1\nextent meta\n process \"a\"\n");
  auto Second = assembled(kSample);
  Second[offsetof(FileHeader, Version)] = std::byte{77};
  Bytes.insert(Bytes.end(), Second.begin(), Second.end());
  const auto All = readBytes(Bytes);
  ASSERT_TRUE(All);
  ASSERT_EQ(All->size(), 1u);
  EXPECT_TRUE((*All)[0].damaged());
}

} // namespace
