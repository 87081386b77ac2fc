//===- ReaderTest.cpp - Whole traces --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"
#include "trace/read/MissingPages.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "inmem/abi.h"

using namespace inmem::trace;
using namespace inmem::test;

namespace {

const Entry *entry(const Trace &T, uint32_t Site) {
  for (const Entry &E : T.Entries)
    if (E.Site == Site)
      return &E;
  return nullptr;
}

TEST(Reader, KeepsAnEmptyArgumentInTheCommandLine) {
  const Trace T = readText(kSample);
  EXPECT_EQ(T.Command, (std::vector<std::string_view>{"./app", "", "-v"}));
  EXPECT_EQ(T.Host, "box");
  EXPECT_EQ(T.Executable, "/bin/app");
  EXPECT_TRUE(T.complete());
  EXPECT_TRUE(T.Diagnostics.empty());
}

TEST(Reader, ReadsTypesWithTheirFields) {
  const Trace T = readText(kSample);
  ASSERT_EQ(T.Types.size(), 3u);
  EXPECT_EQ(T.type(1).Name, "Foo");
  EXPECT_EQ(T.type(1).Size, 24u);
  EXPECT_EQ(T.type(1).Flags,
            uint32_t{INMEM_TYPE_CLASS} | uint32_t{INMEM_TYPE_POLYMORPHIC});
  const auto Fields = T.fields(T.type(1));
  ASSERT_EQ(Fields.size(), 2u);
  EXPECT_EQ(Fields[0].Name, "next");
  EXPECT_EQ(Fields[0].TypeName, "Foo *");
  EXPECT_EQ(Fields[0].TypeId, 0x11u);
  EXPECT_EQ(Fields[1].Kind, INMEM_FIELD_BITFIELD);
  EXPECT_EQ(Fields[1].Bit, 2);
}

TEST(Reader, ReadsSitesWithTheirInlinedFrames) {
  const Trace T = readText(kSample);
  const Site &S = T.site(2);
  EXPECT_EQ(S.ArrayCookie, 8u);
  const auto Frames = T.frames(S);
  ASSERT_EQ(Frames.size(), 2u);
  EXPECT_EQ(Frames[1].Function, "_Z4userv");
  EXPECT_EQ(Frames[1].Line, 9u);
  EXPECT_EQ(T.site(4).ModuleOffset, 0x40u);
  EXPECT_EQ(T.module(1).Path, "/lib/libx.so");
  EXPECT_EQ(T.module(1).BuildId, std::string_view("\x0a\x0b", 2));
}

TEST(Reader, UnknownIndexesAreTheUnknownRecord) {
  const Trace T = readText(kSample);
  EXPECT_EQ(T.type(99).Index, 0u);
  EXPECT_EQ(T.site(99).Id, 0u);
  EXPECT_EQ(T.module(99).Id, 0u);
}

TEST(Reader, AddsRowsOfASiteOverThreads) {
  const Trace T = readText(kSample);
  const Entry *E = entry(T, 1);
  ASSERT_TRUE(E);
  EXPECT_EQ(E->Totals.Allocations, 10u);
  EXPECT_EQ(E->Totals.Frees, 8u);
  EXPECT_EQ(E->Totals.MinTicks, 10u);
  EXPECT_EQ(E->Totals.MaxTicks, 20u);
  EXPECT_EQ(E->Totals.SumTicks, 100u);
  const Buckets Lifetimes = T.buckets(*E);
  EXPECT_EQ(Lifetimes.Cells[1 * 8 + 2].Count, 2u);
  EXPECT_EQ(Lifetimes.Cells[2 * 8 + 2].Count, 4u);
  EXPECT_EQ(Lifetimes.Cells[2 * 8 + 2].Bytes, 96u);
  EXPECT_EQ(T.Threads.at(2).Totals.Frees, 7u);
  EXPECT_EQ(T.Threads.at(2).Name, "worker");
}

TEST(Reader, OneSiteMayHaveRowsOfSeveralTypes) {
  const Trace T =
      readText("header\nextent meta\n type index=1 id=1 name=\"A\"\n"
               " type index=2 id=2 name=\"B\"\n site id=1 type=1\n"
               "extent rows owner=1\n"
               " row site=1 type=1 allocations=1 bytes=1\n"
               " row site=1 type=2 allocations=2 bytes=2\n"
               " row site=1 allocations=4 bytes=4\n");
  ASSERT_EQ(T.Entries.size(), 2u);
  EXPECT_EQ(T.Entries[0].Totals.Allocations, 5u); // the site's own type
  EXPECT_EQ(T.Entries[1].Type, 2u);
}

TEST(Reader, PeakIsTheFlushedOneOrWhatIsPendingAboveLive) {
  const Trace T = readText(kSample);
  ASSERT_EQ(T.Live.size(), 3u);
  EXPECT_EQ(T.Live[1].Live, 160);
  EXPECT_EQ(T.Live[1].Peak, 250);
  EXPECT_EQ(T.Process.Live, 324);
  EXPECT_EQ(T.Process.Peak, 400);
  const Trace High = readText("header\nextent types\n total live=5 peak=6\n"
                              "extent cells owner=1\n cell delta=1 high=9\n");
  EXPECT_EQ(High.Live[0].Peak, 14);
}

TEST(Reader, AddsCountersOverThreads) {
  const Trace T = readText(kSample);
  ASSERT_EQ(T.Objects.size(), 5u);
  EXPECT_EQ(T.Objects[0].Count, 7u);
  EXPECT_EQ(T.Objects[0].Function, "_Z4makei");
  EXPECT_EQ(T.Objects[0].ClassName, "Foo");
  EXPECT_EQ(T.Objects[3].Count, 6u);
  EXPECT_EQ(T.Objects[4].Count, 2u);
}

TEST(Reader, CountersRunOnOverExtentsInOrderOfSequence) {
  const Trace T = readText("header\nextent meta\n"
                           " object module=1 cell=0 class=\"A\"\n"
                           " object module=1 cell=2 class=\"B\"\n"
                           "extent counters owner=1 module=1 sequence=2\n"
                           " counts 30\n"
                           "extent counters owner=1 module=1 sequence=1\n"
                           " counts 10 20\n");
  EXPECT_EQ(T.Objects[0].Count, 10u);
  EXPECT_EQ(T.Objects[1].Count, 30u);
}

TEST(Reader, ReadsSnapshotsAndPhases) {
  const Trace T = readText(kSample);
  ASSERT_EQ(T.Snapshots.size(), 1u);
  EXPECT_EQ(T.lastReset(), nullptr);
  Buckets Lifetimes;
  const Row R = T.snapshotRow(T.Snapshots[0], 0, &Lifetimes);
  EXPECT_EQ(R.Allocations, 4u);
  EXPECT_EQ(Lifetimes.Cells[8 + 2].Count, 1u);
  ASSERT_EQ(T.Phases.size(), 1u);
  EXPECT_EQ(T.Phases[0].Name, "warm");
}

TEST(Reader, ARunningProcessIsNoErrorButNotComplete) {
  const Trace T = readText("header state=running pid=1\nextent meta\n");
  EXPECT_FALSE(T.complete());
  EXPECT_FALSE(T.Cut);
  EXPECT_TRUE(T.Diagnostics.empty());
}

TEST(Reader, PreallocatedZerosAfterTheEndSayNothing) {
  auto Bytes = assembled(kSample);
  Bytes.resize(Bytes.size() + 65536);
  const auto All = readBytes(Bytes);
  ASSERT_TRUE(All);
  EXPECT_TRUE((*All)[0].Diagnostics.empty());
}

/// A file of a trace, and of zeros behind it that a process cuts off at its
/// end.
class EndingTrace {
public:
  EndingTrace() : Trace(assembled(kSample)) {
    const int Fd = mkstemp(Path.data());
    EXPECT_EQ(write(Fd, Trace.data(), Trace.size()), ssize_t(Trace.size()));
    EXPECT_EQ(ftruncate(Fd, off_t(Trace.size()) + 65536), 0);
    close(Fd);
  }
  ~EndingTrace() { unlink(Path.c_str()); }

  std::shared_ptr<const Buffer> open() const { return *Buffer::open(Path); }
  void cutTo(uint64_t Bytes) const {
    EXPECT_EQ(truncate(Path.c_str(), off_t(Bytes)), 0);
  }
  const std::vector<std::byte> Trace;

private:
  std::string Path = testing::TempDir() + "ending-XXXXXX";
};

TEST(Reader, RoomThatAProcessCutsOffMeanwhileSaysNothing) {
  MissingPages::handle([] { _exit(9); });
  const EndingTrace File;
  ASSERT_EQ(File.Trace.size() % 4096, 0u);
  const auto Before = File.open();
  File.cutTo(File.Trace.size());
  {
    const MissingPages Missing(*Before);
    const auto All = readTraces(Before);
    ASSERT_TRUE(All);
    EXPECT_TRUE((*All)[0].Diagnostics.empty());
    EXPECT_TRUE(Missing.found());
  }
  // One of the trace's own pages, without permission to do without it.
  File.cutTo(4096);
  EXPECT_EXIT((void)readTraces(Before), testing::ExitedWithCode(9), "");
}

TEST(Reader, ReadsProcessesThatStandOneAfterAnother) {
  auto Bytes = assembled(kSample);
  const auto Second = assembled("header pid=9\nextent meta\n process \"b\"\n");
  Bytes.insert(Bytes.end(), Second.begin(), Second.end());
  Bytes.insert(Bytes.end(), Second.begin(), Second.end());
  const auto All = readBytes(Bytes);
  ASSERT_TRUE(All);
  ASSERT_EQ(All->size(), 3u);
  EXPECT_EQ((*All)[0].Header.Pid, 7u);
  EXPECT_EQ((*All)[2].Header.Pid, 9u);
  for (const Trace &T : *All)
    EXPECT_TRUE(T.Diagnostics.empty());
}

TEST(Reader, OffsetsOfALaterProcessCountFromItsOwnStart) {
  auto Bytes = assembled("header pid=1\nextent meta\n process \"a\"\n");
  const auto Second = assembled(kSample);
  Bytes.insert(Bytes.end(), Second.begin(), Second.end());
  const auto All = readBytes(Bytes);
  ASSERT_TRUE(All);
  ASSERT_EQ(All->size(), 2u);
  const Trace &T = (*All)[1];
  EXPECT_EQ(T.buckets(*entry(T, 1)).Cells[2 * 8 + 2].Count, 4u);
}

TEST(Reader, OtherFilesAreErrorsThatSayWhatWasFound) {
  const auto Is = [](std::string_view Text, std::string_view Part) {
    std::vector<std::byte> Bytes(Text.size());
    if (!Text.empty())
      std::memcpy(Bytes.data(), Text.data(), Text.size());
    const auto All = readBytes(Bytes);
    ASSERT_FALSE(All);
    const std::string Message = All.status().str();
    EXPECT_TRUE(Message.starts_with("test.inmem: ")) << Message;
    EXPECT_NE(Message.find(Part), std::string::npos) << Message;
  };
  Is("", "found an empty file");
  Is("#!/bin/sh\n", "not an inmem trace, but a text file");
  Is("\x01\x02\x03\x04\x05\x06\x07\x08", "found 01020304");
  Is("inmem\r\n\x1a", "found 8 bytes");
}

TEST(Reader, AnotherVersionIsAnError) {
  auto Bytes = assembled(kSample);
  Bytes[offsetof(FileHeader, Version)] = std::byte{9};
  const auto All = readBytes(Bytes);
  ASSERT_FALSE(All);
  EXPECT_NE(All.status().str().find("at byte 8: version of the trace format: "
                                    "expected 1, found 9"),
            std::string::npos)
      << All.status().str();
}

TEST(Reader, ReadsWhatThreadsFreed) {
  const Trace T = readText(kEverything);
  ASSERT_EQ(T.Frees.size(), 1u);
  EXPECT_EQ(T.Frees[0].Thread, 1u);
  EXPECT_EQ(T.Frees[0].Cell.Site, 2u);
  EXPECT_EQ(T.Frees[0].Cell.Bytes, 24u);
}

TEST(Reader, AThreadWhoseBlockIsUnknownLeavesTheOthersTheirCounts) {
  const Trace T = readText("header\nextent meta\n site id=1\n"
                           "extent rows owner=2\n"
                           " row site=1 allocations=5 bytes=40\n"
                           "extent thread-lives\n"
                           " thread-life block=1 tid=70 name=\"main\"\n"
                           " thread-life block=2 tid=71 name=\"worker\"\n");
  ASSERT_EQ(T.LivedThreads.size(), 3u);
  EXPECT_EQ(T.LivedThreads[1].Counts.Allocations, 0u);
  EXPECT_EQ(T.LivedThreads[2].Counts.Allocations, 5u);
  EXPECT_EQ(T.LivedThreads[2].Counts.Bytes, 40u);
}

TEST(Reader, KnowsTheCallsFromACallerToItsSite) {
  const std::string Text =
      "header\nextent meta\n module id=1 base=0x1000 path=\"a\"\n"
      " site id=1 key=0x1 kind=allocator function=\"f\" line=1\n"
      " called-site id=2 site=1 function=\"g\" file=\"g.cpp\" line=2\n"
      " caller-call id=2 module=1 offset=0x10\n"
      " caller-call id=2 module=1 offset=0x20\n"
      " called-site id=3 site=1 function=\"h\" file=\"h.cpp\" line=3\n"
      " caller-call id=3 offset=0x30\n";
  const Trace T = readText(Text);
  EXPECT_TRUE(T.Diagnostics.empty());
  const auto Of = [&](uint32_t Id) {
    std::vector<std::pair<uint32_t, uint64_t>> Out;
    for (const CallerCall &C : T.callsOf(T.site(Id)))
      Out.emplace_back(C.Module, C.Offset);
    return Out;
  };
  using Calls = std::vector<std::pair<uint32_t, uint64_t>>;
  EXPECT_EQ(Of(1), Calls());
  EXPECT_EQ(Of(2), (Calls{{1, 0x10}, {1, 0x20}}));
  EXPECT_EQ(Of(3), (Calls{{0, 0x30}}));
  // Two ids that are not of a site with a caller, and a call too many.
  for (const char *Wrong : {" caller-call id=1\n", " caller-call id=9\n",
                            " caller-call id=2 module=1 offset=0x40\n"}) {
    const Trace Damaged = readText(Text + Wrong);
    EXPECT_TRUE(Damaged.damaged()) << Wrong;
    EXPECT_EQ(Damaged.callsOf(Damaged.site(2)).size(), 2u);
  }
}

TEST(Reader, KnowsObjectsAtMarksThatCountedThem) {
  const Trace T = readText(kEverything);
  ASSERT_EQ(T.Snapshots.size(), 2u);
  EXPECT_EQ(T.objectsAt(T.Snapshots[0]), (std::vector<uint64_t>{4, 0}));
  EXPECT_EQ(T.objectsAt(T.Snapshots[1]), std::nullopt); // periodic
}

TEST(Reader, APeakBetweenMarksIsThatOfMarksThatKeepPeaks) {
  // A mark without kSnapshotPeaks has something other than a peak in the peak's
  // place.
  const Trace T = readText(
      "header live-bytes=5 peak-live-bytes=40\nextent meta\n"
      "extent snapshot sequence=1 kind=manual flags=4 part-peak-live-bytes=40\n"
      "extent snapshot sequence=2 kind=periodic part-peak-live-bytes=99\n"
      "extent snapshot sequence=3 kind=manual flags=4 "
      "part-peak-live-bytes=30\n");
  ASSERT_EQ(T.Snapshots.size(), 3u);
  const auto Part = T.peaksBetween(&T.Snapshots[0], &T.Snapshots[2]);
  ASSERT_TRUE(Part);
  EXPECT_EQ(Part->Process, 30);
}

TEST(Reader, AnOrderThatWaitsIsTheNewestSnapshot) {
  auto Bytes = assembled(kEverything);
  CommandQueue Commands{};
  Commands.Given = Commands.Recording = 1;
  Commands.Slots[0].Kind = CommandKind::Snapshot;
  Commands.Slots[0].UnixNs = 70;
  std::strcpy(Commands.Slots[0].Name, "next");
  std::memcpy(&Bytes[offsetof(FileHeader, Commands)], &Commands,
              sizeof Commands);
  const auto All = readSealed(Bytes);
  ASSERT_TRUE(All);
  const Trace &T = (*All)[0];
  ASSERT_EQ(T.Snapshots.size(), 3u);
  EXPECT_TRUE(T.Snapshots[2].Now);
  EXPECT_GT(T.Snapshots[2].Sequence, T.Snapshots[1].Sequence);
  EXPECT_EQ(T.Snapshots[2].Header.UnixNs, 70u);
  EXPECT_EQ(T.Phases.back().Snapshot, T.Snapshots[2].Sequence);
  EXPECT_EQ(T.Phases.back().Name, "next");
}

TEST(Reader, AMissingFileIsAnError) {
  const auto All = readTraces(std::string("/nonexistent/x.inmem"));
  ASSERT_FALSE(All);
  EXPECT_NE(All.status().str().find("/nonexistent/x.inmem: cannot open"),
            std::string::npos);
}

} // namespace
