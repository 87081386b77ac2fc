//===- VerifierTest.cpp - Invariants --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

#include "trace/read/Verifier.h"

#include <gmock/gmock.h>

using namespace inmem::trace;
using namespace inmem::test;
using testing::Contains;
using testing::HasSubstr;

namespace {

/// A trace of one row, whose members are given.
std::vector<Diagnostic> verifyRow(const std::string &Members,
                                  const std::string &More = "") {
  return verify(readText("header\nextent meta\n"
                         " type index=1 id=1 size=8 name=\"A\"\n"
                         " site id=1 type=1\nextent rows owner=1\n"
                         " row site=1 type=1 " +
                         Members + "\n" + More));
}

TEST(Verifier, FindsNothingInASoundRow) {
  EXPECT_TRUE(verifyRow("allocations=2 bytes=16 frees=1 freed-bytes=8 timed=1 "
                        "weighted-timed=1 sum=9 min=9 max=9",
                        "  octave 1 1=1/8\n")
                  .empty());
}

TEST(Verifier, AShortestLifeMeansNothingBeforeALifeWasTimed) {
  EXPECT_TRUE(verifyRow("allocations=2 bytes=16 min=9 max=0").empty());
}

struct Case {
  const char *Members;
  const char *Message;
};
// The tests' names, which must be the same in each run.
void PrintTo(const Case &C, std::ostream *Out) { *Out << C.Members; }
class Broken : public testing::TestWithParam<Case> {};

TEST_P(Broken, IsFound) {
  EXPECT_THAT(verifyRow(GetParam().Members),
              Contains(testing::Field(&Diagnostic::What,
                                      HasSubstr(GetParam().Message))));
}

INSTANTIATE_TEST_SUITE_P(
    Verifier, Broken,
    testing::Values(
        Case{"allocations=1 bytes=8 frees=2 freed-bytes=8",
             "frees within allocations"},
        Case{"allocations=2 bytes=8 frees=1 freed-bytes=9",
             "freed bytes within bytes"},
        Case{"allocations=2 bytes=16 frees=1 freed-bytes=8 moved-out=2 "
             "moved-out-bytes=8",
             "frees within allocations"},
        Case{"allocations=1 bytes=8 moved-out=2", "moved out within"},
        Case{"allocations=9 bytes=8", "blocks within bytes"},
        Case{"allocations=2 bytes=8 temporary=1", "temporary within frees"},
        Case{"allocations=2 bytes=8 reallocations=3",
             "reallocations within allocations"},
        Case{"allocations=1 bytes=8 frees=1 freed-bytes=8 timed=2",
             "timed frees within frees"},
        Case{"allocations=1 bytes=8 frees=1 freed-bytes=8 timed=1 "
             "weighted-timed=1 sum=5 min=6 max=7",
             "sum of lifetimes"},
        Case{"allocations=1 bytes=8 frees=1 freed-bytes=8 timed=1 "
             "weighted-timed=1 sum=7 min=7 max=7",
             "lifetimes of a row in all"}));

TEST(Verifier, FreesOfOneThreadMayExceedItsAllocationsButNotAllThreads) {
  const std::string Head = "header\nextent meta\n site id=1\n"
                           "extent rows owner=1\n"
                           " row site=1 allocations=2 bytes=16\n"
                           "extent rows owner=2\n";
  EXPECT_TRUE(
      verify(readText(Head + " row site=1 frees=2 freed-bytes=16\n")).empty());
  EXPECT_FALSE(
      verify(readText(Head + " row site=1 frees=3 freed-bytes=16\n")).empty());
}

TEST(Verifier, LiveBytesOfCellsAgreeWithRows) {
  const char *Rows = "allocations=2 bytes=16 frees=1 freed-bytes=8";
  EXPECT_THAT(verifyRow(Rows, "extent types\n total\n total live=9 peak=16\n"),
              Contains(testing::Field(&Diagnostic::What,
                                      HasSubstr("live bytes of type 1"))));
}

TEST(Verifier, SnapshotsNeverExceedWhatCameAfter) {
  EXPECT_THAT(verifyRow("allocations=2 bytes=16",
                        "extent snapshot kind=periodic\n"
                        " row site=1 type=1 allocations=3 "
                        "bytes=16\n"),
              Contains(testing::Field(&Diagnostic::What,
                                      HasSubstr("allocations in a snapshot"))));
}

/// Two marks; what they say is given.
std::vector<Diagnostic> verifyMarks(const std::string &Marks,
                                    const char *Flags = "7") {
  return verify(readText(
      "header live-bytes=16 earlier-peak-live-bytes=32\nextent meta\n"
      " thread index=1 tid=5\n type index=1 id=1 size=8 name=\"A\"\n"
      " site id=1 type=1\n"
      " object module=1 cell=2 type=1 event=constructed class=\"A\"\n"
      "extent snapshot sequence=1 kind=manual flags=" +
      std::string(Flags) +
      " part-peak-live-bytes=32\n"
      " row site=1 type=1 allocations=3 bytes=24\n"
      "extent snapshot sequence=2 kind=reset flags=" +
      Flags +
      "\n row site=1 type=1 allocations=4 bytes=32 frees=1 freed-bytes=8\n"
      "extent rows owner=1\n"
      " row site=1 type=1 allocations=4 bytes=32 frees=2 freed-bytes=16\n"
      "extent types\n total\n total live=16 earlier-peak=32\n"
      "extent counters module=1 owner=1\n counts 0 0 5\n" +
      Marks));
}

constexpr char kSoundMarks[] =
    "extent mark-rows\n"
    " row-at snapshot=1 thread=1 site=1 type=1 allocations=3 bytes=24\n"
    "extent mark-rows\n"
    " row-at snapshot=2 thread=1 site=1 type=1 allocations=4 bytes=32 frees=1 "
    "freed-bytes=8\n"
    "extent mark-objects\n objects-at snapshot=1 module=1 cell=2 count=2\n"
    "extent mark-objects\n objects-at snapshot=2 module=1 cell=2 count=5\n"
    "extent mark-peaks\n peak-at snapshot=1 type=1 peak=32\n"
    "extent mark-peaks\n peak-at snapshot=2 type=1 peak=24\n";

TEST(Verifier, FindsNothingInSoundMarks) {
  for (const Diagnostic &F : verifyMarks(kSoundMarks))
    ADD_FAILURE() << F.status("it").str();
}

struct BrokenMark {
  const char *From, *To; ///< what is changed in kSoundMarks
  const char *Message;
};
void PrintTo(const BrokenMark &B, std::ostream *Out) {
  *Out << B.From << " -> " << B.To;
}
class BrokenMarks : public testing::TestWithParam<BrokenMark> {};

TEST_P(BrokenMarks, AreFound) {
  std::string Text = kSoundMarks;
  const size_t At = Text.find(GetParam().From);
  ASSERT_NE(At, Text.npos);
  Text.replace(At, std::string_view(GetParam().From).size(), GetParam().To);
  EXPECT_THAT(verifyMarks(Text),
              Contains(testing::Field(&Diagnostic::What,
                                      HasSubstr(GetParam().Message))));
}

INSTANTIATE_TEST_SUITE_P(
    Verifier, BrokenMarks,
    testing::Values(
        BrokenMark{"allocations=3", "allocations=5", "allocations at a mark"},
        BrokenMark{"bytes=24", "bytes=33", "bytes at a mark"},
        BrokenMark{"frees=1", "frees=3", "frees at a mark"},
        BrokenMark{"freed-bytes=8", "freed-bytes=17", "freed bytes at a mark"},
        BrokenMark{"bytes=24", "bytes=24 temporary=1", "temporary at a mark"},
        BrokenMark{"bytes=24", "bytes=24 reallocations=1",
                   "reallocations at a mark"},
        BrokenMark{"bytes=24", "bytes=24 moved-out=1",
                   "blocks moved out at a mark"},
        BrokenMark{"bytes=24", "bytes=24 moved-out-bytes=1",
                   "bytes moved out at a mark"},
        // It was counted, and then it was not.
        BrokenMark{" row-at snapshot=2 thread=1", " row-at snapshot=2",
                   "allocations at a mark"},
        BrokenMark{"snapshot=1 thread=1", "snapshot=1 thread=2",
                   "thread of a row at a mark"},
        BrokenMark{"site=1", "site=9", "site of a row at a mark"},
        BrokenMark{"type=1 allocations", "type=9 allocations",
                   "type of a row at a mark"},
        BrokenMark{"row-at snapshot=1", "row-at snapshot=8",
                   "snapshot of a row at a mark"},
        BrokenMark{"objects-at snapshot=1", "objects-at snapshot=8",
                   "snapshot of objects at a mark"},
        BrokenMark{"count=2", "count=6", "objects at a mark"},
        BrokenMark{"count=5", "count=6", "objects at a mark"},
        BrokenMark{"cell=2", "cell=1", "counter of objects at a mark"},
        BrokenMark{"peak-at snapshot=1", "peak-at snapshot=8",
                   "snapshot of a peak at a mark"},
        BrokenMark{"peak=24", "peak=33", "peak of a type before a mark"},
        BrokenMark{"peak-at snapshot=1 type=1", "peak-at snapshot=1 type=2",
                   "type of a peak at a mark"}));

TEST(Verifier, APeakBeforeAMarkIsNoneAfterTheRun) {
  EXPECT_THAT(verify(readText("header earlier-peak-live-bytes=8\n"
                              "extent snapshot sequence=1 kind=manual flags=4 "
                              "part-peak-live-bytes=9\n")),
              Contains(testing::Field(&Diagnostic::What,
                                      HasSubstr("peak before a mark"))));
}

TEST(Verifier, AMarkThatKeepsNoPeaksHasNoneToBeWrong) {
  EXPECT_TRUE(verify(readText("header earlier-peak-live-bytes=8\n"
                              "extent snapshot sequence=1 kind=manual flags=3 "
                              "part-peak-live-bytes=9\n"))
                  .empty());
}

TEST(Verifier, ARunningProcessIsSeenBetweenUpdates) {
  const auto Found = verify(readText("header state=running\nextent meta\n"
                                     " site id=1\nextent rows owner=1\n"
                                     " row site=1 frees=1 freed-bytes=8\n"));
  ASSERT_FALSE(Found.empty());
  for (const Diagnostic &F : Found)
    EXPECT_EQ(F.Severity, Diagnostic::Level::Note);
}

} // namespace
