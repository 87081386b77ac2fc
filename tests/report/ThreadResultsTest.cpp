//===- ThreadResultsTest.cpp - Activity of single threads -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfileOf.h"
#include "support/SampleTrace.h"

#include "report/model/Profile.h"

#include <gmock/gmock.h>

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;

namespace {

/// Two threads; a reset after the first of two rounds.
constexpr char kResetThreads[] = R"(
header state=complete
extent meta
  thread index=1 tid=70 name="main"
  thread index=2 tid=71 name="worker"
  type index=1 id=1 size=8 name="A"
  site id=1 type=1 kind=new
extent snapshot sequence=1 kind=reset flags=7
  row site=1 type=1 allocations=30 bytes=240 frees=20 freed-bytes=160
extent mark-rows
  row-at snapshot=1 thread=1 site=1 type=1 allocations=20 bytes=160 frees=20 freed-bytes=160 temporary=9
  row-at snapshot=1 thread=2 site=1 type=1 allocations=10 bytes=80
extent rows owner=1
  row site=1 type=1 allocations=25 bytes=200 frees=26 freed-bytes=208 temporary=10
extent rows owner=2
  row site=1 type=1 allocations=12 bytes=96
)";

TEST(Threads, CountFromTheLastReset) {
  const Profile P = profileOf(readText(kResetThreads), {});
  EXPECT_EQ(P.Totals.Allocations, 7u);
  ASSERT_EQ(P.Threads.size(), 2u);
  EXPECT_EQ(P.Threads[0].Name, "main");
  EXPECT_EQ(P.Threads[0].Allocations, 5u);
  EXPECT_EQ(P.Threads[0].AllocatedBytes, 40u);
  EXPECT_EQ(P.Threads[0].Frees, 6u) << "one of them the other's";
  EXPECT_EQ(P.Threads[0].Temporary, 1u);
  EXPECT_EQ(P.Threads[1].Allocations, 2u);
}

TEST(Threads, AreChosenFromTheLastReset) {
  ProfileOptions Options;
  Options.ThreadGlobs = {"worker"};
  const Profile P = profileOf(readText(kResetThreads), Options);
  EXPECT_EQ(typeOf(P, "A")->Sum.Allocations, 2u);
  ASSERT_EQ(P.Threads.size(), 1u);
  EXPECT_EQ(P.Threads[0].AllocatedBytes, 16u);
  for (const std::string &Note : P.Notes)
    EXPECT_EQ(Note.find("not the reset"), std::string::npos) << Note;
}

TEST(Threads, OfASnapshotWithoutThreadsAreNotGuessed) {
  std::string Text = kResetThreads;
  Text.replace(Text.find("flags=7"), 7, "flags=6");
  Text.erase(Text.find("extent mark-rows"),
             Text.find("extent rows owner=1") - Text.find("extent mark-rows"));
  const Profile P = profileOf(readText(Text), {});
  EXPECT_TRUE(P.Threads.empty());
  EXPECT_THAT(P.Notes, testing::Contains(testing::HasSubstr(
                           "what single threads did since the last reset")));
}

TEST(Threads, TemporaryOfASampleIsWeighted) {
  const Profile P = profileOf(
      readText("header state=complete flags=sampled-bytes sample-bytes=512\n"
               "extent meta\n thread index=1 tid=70 name=\"main\"\n"
               " type index=1 id=1 size=8 name=\"A\"\n"
               " site id=1 type=1 kind=new\n"
               "extent rows owner=1\n"
               " row site=1 type=1 allocations=4 bytes=32 frees=2 "
               "freed-bytes=16 temporary=2 weighted-allocations=44 "
               "weighted-bytes=352 weighted-frees=22 "
               "weighted-freed-bytes=176\n"),
      {});
  EXPECT_EQ(P.Totals.Temporary, 22u);
  ASSERT_EQ(P.Threads.size(), 1u);
  EXPECT_EQ(P.Threads[0].Temporary, P.Totals.Temporary);
}

TEST(Threads, OfASampleInAPhaseAreWeighted) {
  const trace::Trace T = readText(
      "header state=complete flags=sampled-bytes sample-bytes=512\n"
      "extent meta\n thread index=1 tid=70 name=\"main\"\n"
      " type index=1 id=1 size=8 name=\"A\"\n site id=1 type=1 kind=new\n"
      " phase snapshot=3 ticks=1 name=\"late\"\n"
      "extent snapshot sequence=3 kind=manual flags=1\n"
      " row site=1 type=1 allocations=2 bytes=16 frees=1 freed-bytes=8 "
      "weighted-allocations=20 weighted-bytes=160 weighted-frees=10 "
      "weighted-freed-bytes=80\n"
      "extent mark-rows\n"
      " row-at snapshot=3 thread=1 site=1 type=1 allocations=2 bytes=16 "
      "frees=1 freed-bytes=8 weighted-allocations=20 weighted-bytes=160 "
      "weighted-frees=10 weighted-freed-bytes=80\n"
      "extent rows owner=1\n"
      " row site=1 type=1 allocations=4 bytes=32 frees=2 freed-bytes=16 "
      "weighted-allocations=44 weighted-bytes=352 weighted-frees=22 "
      "weighted-freed-bytes=176\n");
  ProfileOptions Options;
  Options.Phase = "late";
  Options.ThreadGlobs = {"main"};
  const Profile P = profileOf(T, Options);
  const Counts &Sum = typeOf(P, "A")->Sum;
  EXPECT_EQ(Sum.Allocations, 24u);
  EXPECT_EQ(Sum.AllocatedBytes, 192u);
  EXPECT_EQ(Sum.Frees, 12u);
  EXPECT_EQ(Sum.FreedBytes, 96u);
}

} // namespace
