//===- PeakPartsTest.cpp - Live blocks at the process's peak --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes before and after a peak as they are in a trace, and what follows from
// them. Whole programs that keep accounts: lit-tests/runtime/at-peak.cpp.
//
//===----------------------------------------------------------------------===//
#include "support/SampleTrace.h"

#include "report/model/Profile.h"
#include "trace/read/Reader.h"

#include <gmock/gmock.h>

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;
using testing::HasSubstr;

namespace {

/// 100 blocks of Foo, of which 60 were freed, and 50 of Bar, all freed.
std::string traceWith(const std::string &Notes, int Peak) {
  return "header state=complete pid=7 live-bytes=640 peak-live-bytes=" +
         std::to_string(Peak) +
         R"T(
extent meta
  thread index=1 tid=70 name="main"
  type index=1 id=0x11 size=16 align=8 name="Foo"
  type index=2 id=0x12 size=8 align=8 name="Bar"
  site id=1 type=1 key=0x1 kind=new function="f()" file="a.cpp" line=1
  site id=2 type=2 key=0x2 kind=new function="g()" file="a.cpp" line=2
extent types
  total
  total live=640 peak=1600
  total peak=400
extent rows owner=1
  row site=1 type=1 allocations=100 bytes=1600 frees=60 freed-bytes=960
  row site=2 type=2 allocations=50 bytes=400 frees=50 freed-bytes=400
)T" + Notes;
}

std::vector<AtPeak> peaksOf(const std::string &Text,
                            const ProfileOptions &Options = {}) {
  const std::vector Traces{readText(Text)};
  const auto P = buildProfile(Traces, Options);
  EXPECT_TRUE(P) << P.status().str();
  std::vector<AtPeak> Out;
  for (const SiteResult &S : P->Sites)
    if (S.Peak)
      Out.push_back(*S.Peak);
  for (const TypeResult &T : P->Types)
    EXPECT_EQ(T.Peak.has_value(), !Out.empty());
  return Out;
}

const char *const kBefore = R"T(extent peak-rows sequence=1
  near-peak order=1 allocations=1 bytes=1400
  near-peak site=1 allocations=90 bytes=1440 frees=10 freed-bytes=160
  near-peak site=2 allocations=20 bytes=160
)T";

/// A peak between kBefore and a note after it, whose sites are \p After.
std::vector<AtPeak> peaksBetween(int Peak, const std::string &After) {
  return peaksOf(traceWith(kBefore + ("extent peak-rows sequence=2\n"
                                      "  near-peak order=2 bytes=" +
                                      std::to_string(Peak) + '\n' + After),
                           Peak));
}

TEST(AtPeak, IsWhatTheMomentAfterItHadIfThatIsAsHigh) {
  const auto Had = peaksBetween(
      1640,
      R"T(  near-peak site=1 allocations=100 bytes=1600 frees=10 freed-bytes=160
  near-peak site=2 allocations=25 bytes=200
)T");
  ASSERT_EQ(Had.size(), 2u);
  EXPECT_EQ(Had[0].bytes(), 1440u);
  EXPECT_EQ(Had[0].blocks(), 90u);
  EXPECT_EQ(Had[1].bytes(), 200u);
  EXPECT_EQ(Had[1].blocks(), 25u);
}

TEST(AtPeak, FollowsFromTheSumIfOneSiteAloneChanged) {
  const auto Had = peaksBetween(
      1520,
      R"T(  near-peak site=1 allocations=96 bytes=1536 frees=12 freed-bytes=192
  near-peak site=2 allocations=20 bytes=160
)T");
  ASSERT_EQ(Had.size(), 2u);
  EXPECT_EQ(Had[0].bytes(), 1360u);
  EXPECT_EQ(Had[0].blocks(), 85u); // each is a Foo
  EXPECT_EQ(Had[1].bytes(), 160u);
  EXPECT_EQ(Had[1].blocks(), 20u);
}

TEST(AtPeak, IsBetweenBoundsIfSeveralChanged) {
  const auto Had = peaksBetween(
      1480,
      R"T(  near-peak site=1 allocations=96 bytes=1536 frees=12 freed-bytes=192
  near-peak site=2 allocations=30 bytes=240 frees=20 freed-bytes=160
)T");
  ASSERT_EQ(Had.size(), 2u);
  EXPECT_EQ(Had[0].bytes(), std::nullopt);
  EXPECT_EQ(Had[0].BytesAtLeast, 1248u); // 1440 - 192
  EXPECT_EQ(Had[0].BytesAtMost, 1376u);  // 1536 - 160
  EXPECT_EQ(Had[1].BytesAtLeast, 104u);  // 1480 - 1376
  EXPECT_EQ(Had[1].BytesAtMost, 232u);   // 1480 - 1248
  EXPECT_LE(Had[1].BlocksAtMost, 30u);
}

TEST(AtPeak, LiesAfterANoteThatIsLower) {
  // The only note is of a falling process that rose again: from it to the end.
  const auto Had = peaksOf(traceWith(R"T(extent peak-rows sequence=1
  near-peak order=1 bytes=900
  near-peak site=1 allocations=50 bytes=800 frees=10 freed-bytes=160
  near-peak site=2 allocations=50 bytes=400 frees=50 freed-bytes=400
)T",
                                     1440));
  ASSERT_EQ(Had.size(), 2u);
  EXPECT_EQ(Had[0].bytes(), 1440u); // 100 were made, and 10 freed
  EXPECT_EQ(Had[1].bytes(), 0u);
  EXPECT_EQ(Had[1].blocks(), 0u);
}

TEST(AtPeak, IsNotKnownWithoutNotesOrOfAPart) {
  EXPECT_TRUE(peaksOf(traceWith("", 1640)).empty());
  ProfileOptions Some;
  Some.ThreadGlobs = {"main"};
  EXPECT_TRUE(peaksOf(traceWith(kBefore, 1640), Some).empty());
}

TEST(AtPeak, NotesAreTextAndBack) {
  const auto First = assembled(traceWith(kBefore, 1640));
  const std::string Once = dump((*readBytes(First))[0]);
  EXPECT_THAT(Once, HasSubstr("near-peak site=2 allocations=20 bytes=160"));
  EXPECT_EQ(First, assembled(Once));
}

TEST(ReadableNames, TypesThatReadTheSameAreOneRow) {
  const std::string Text = R"T(header state=complete pid=7
extent meta
  type index=1 id=0x11 size=16 align=8 name="std::vector<int, std::allocator<int> >"
  type index=2 id=0x12 size=16 align=8 name="std::__1::vector<int, std::allocator<int>>"
  type index=3 id=0x13 size=24 align=8 name="Foo"
  type index=4 id=0x14 size=32 align=8 name="Foo"
  site id=1 type=1 key=0x1 kind=new function="f()" file="a.cpp" line=1
  site id=2 type=2 key=0x2 kind=new function="g()" file="a.cpp" line=2
  site id=3 type=3 key=0x3 kind=new function="h()" file="b.cpp" line=3
  site id=4 type=4 key=0x4 kind=new function="h()" file="c.cpp" line=3
extent types
  total
  total live=16 peak=48
  total live=16 peak=64
  total live=24 peak=24
  total live=32 peak=32
extent rows owner=1
  row site=1 type=1 allocations=5 bytes=80 frees=4 freed-bytes=64
  row site=2 type=2 allocations=6 bytes=96 frees=5 freed-bytes=80
  row site=3 type=3 allocations=1 bytes=24
  row site=4 type=4 allocations=1 bytes=32
)T";
  const std::vector Traces{readText(Text)};
  EXPECT_EQ(buildProfile(Traces)->Types.size(), 4u);
  ProfileOptions Options;
  Options.ByReadableName = true;
  const auto P = buildProfile(Traces, Options);
  ASSERT_EQ(P->Types.size(), 2u);
  const TypeResult &Vector = P->Types[0], &Foo = P->Types[1];
  EXPECT_EQ(Vector.Sum.Allocations, 11u);
  EXPECT_EQ(Vector.Sum.LiveBytes, 32u);
  EXPECT_EQ(Vector.Size, 16u);
  EXPECT_EQ(Vector.Sites.size(), 2u);
  // Two peaks at different times: only the sum of both is certain.
  EXPECT_EQ(Vector.PeakLiveBytes, std::nullopt);
  EXPECT_EQ(Foo.Sum.AllocatedBytes, 56u);
  EXPECT_EQ(Foo.Size, std::nullopt);
  EXPECT_EQ(Foo.Elements, 2u);
}

} // namespace
