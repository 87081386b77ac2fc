//===- VerifierTest.cpp - Invariants --------------------------------------===//
#include "support/SampleTrace.h"

#include "trace/Verifier.h"

#include <gmock/gmock.h>

using namespace inmem::trace;
using namespace inmem::test;
using testing::Contains;
using testing::HasSubstr;

namespace {

/// A trace of one row, whose members are given.
std::vector<Finding> verifyRow(const std::string &Members,
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

struct Case {
  const char *Members;
  const char *Message;
};
class Broken : public testing::TestWithParam<Case> {};

TEST_P(Broken, IsFound) {
  EXPECT_THAT(verifyRow(GetParam().Members),
              Contains(testing::Field(&Finding::What, HasSubstr(GetParam().Message))));
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
              Contains(testing::Field(&Finding::What, HasSubstr("live bytes of type 1"))));
}

TEST(Verifier, SnapshotsNeverExceedWhatCameAfter) {
  EXPECT_THAT(
      verifyRow("allocations=2 bytes=16", "extent snapshot kind=periodic\n"
                                          " row site=1 type=1 allocations=3 "
                                          "bytes=16\n"),
      Contains(testing::Field(&Finding::What, HasSubstr("allocations in a snapshot"))));
}

TEST(Verifier, ARunningProcessIsSeenBetweenUpdates) {
  const auto Found = verify(readText("header state=running\nextent meta\n"
                                     " site id=1\nextent rows owner=1\n"
                                     " row site=1 frees=1 freed-bytes=8\n"));
  ASSERT_FALSE(Found.empty());
  for (const Finding &F : Found)
    EXPECT_EQ(F.Severity, Finding::Level::Note);
}

} // namespace
