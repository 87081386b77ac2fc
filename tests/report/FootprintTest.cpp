//===- FootprintTest.cpp - Findings about memory that stays ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FindingsFixture.h"

#include "report/findings/RuleFacts.h"
#include "report/formats/Reports.h"
#include "report/text/TextReport.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

using namespace inmem::report;
using namespace inmem::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

/// Leaves \p Blocks of \p S alive.
void leave(Profile &P, SiteResult &S, uint64_t Blocks, uint64_t Bytes) {
  S.Kind = "new";
  for (Counts *C : {&S.Sum, &P.Types[S.Type].Sum, &P.Totals}) {
    C->LiveAllocations += Blocks;
    C->LiveBytes += Bytes;
  }
}

AtPeak atPeak(uint64_t Blocks, uint64_t Bytes) {
  return {Bytes, Bytes, Blocks, Blocks};
}

} // namespace

TEST_F(FindingsTest, ABlockThatIsMostOfThePeak) {
  SiteResult &S = site("int", 4, 1, 16 << 20);
  P.PeakLiveBytes = 17 << 20;
  S.Peak = atPeak(1, 16 << 20);
  // Its traffic is little: 1 of 10,000 blocks, and of 16 GiB.
  P.Totals.AllocatedBytes = uint64_t{1} << 34;
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "peak-block");
  EXPECT_EQ(F.By, Measure::Footprint);
  EXPECT_EQ(F.severity(), Severity::High);
  EXPECT_EQ(F.Traffic, 0);
  EXPECT_NEAR(F.Footprint, 16.0 / 17, 0.001);
  EXPECT_THAT(savesText(P, F),
              HasSubstr("holds 16.0 MiB = 94.1 % of the peak"));
  // Half of it, a small one, many, or one of the C library's.
  P.PeakLiveBytes = 40 << 20;
  EXPECT_THAT(rules(), IsEmpty());
  P.PeakLiveBytes = 17 << 20;
  S.Peak = atPeak(5, 16 << 20);
  EXPECT_THAT(rules(), IsEmpty());
  S.Peak = atPeak(1, 1000 << 10);
  P.PeakLiveBytes = 1000 << 10;
  EXPECT_THAT(rules(), IsEmpty());
}

TEST_F(FindingsTest, TwoScores) {
  site("Particle", 40, 5000, 200000);
  P.Types.back().Packed = PackedResult{24, {"X", "Y"}};
  P.Types.back().PeakLiveBytes = 200000;
  P.PeakLiveBytes = 250000;
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "padding");
  EXPECT_EQ(F.SavesPeakBytes, 80000u);
  EXPECT_NEAR(F.Traffic, 0.08, 0.001);
  EXPECT_NEAR(F.Footprint, 0.32, 0.001);
  EXPECT_EQ(F.By, Measure::Footprint);
  EXPECT_EQ(savesText(P, F), "saves 78.1 KiB = 8.0 % of all allocated; "
                             "78.1 KiB = 32.0 % of the peak");
  const auto Json = nlohmann::json::parse(printJson(P, View()))["findings"][0];
  EXPECT_EQ(Json["measure"], "footprint");
  EXPECT_NEAR(Json["scores"]["traffic"].get<double>(), 0.08, 0.001);
  EXPECT_EQ(Json["saves_peak_bytes"], 80000);
}

TEST_F(FindingsTest, ALeakIsJudgedByThePeakNotByTraffic) {
  // A third of what lives, and less than 1 % of all blocks.
  leave(P, site("Subscription", 40, 50000, 2000000), 50000, 2000000);
  P.Totals.Allocations = 50000000;
  P.Totals.AllocatedBytes = 5000000000;
  P.PeakLiveBytes = 6000000;
  EXPECT_EQ(nameOf(only().Rule), "alive-at-end");
  EXPECT_EQ(only().severity(), Severity::High);
  // A hundredth of a large peak is not worth a line.
  P.PeakLiveBytes = 6000000000;
  EXPECT_THAT(rules(), IsEmpty());
}

TEST_F(FindingsTest, NothingIsLeftOfARunThatDidNotEnd) {
  leave(P, site("Foo", 40, 5000, 200000), 5000, 200000);
  P.Processes.emplace_back().Complete = true;
  EXPECT_THAT(rules(), ElementsAre("alive-at-end"));
  P.Processes[0].Running = true; // or was killed
  EXPECT_THAT(rules(), IsEmpty());
  P.Processes[0] = {};
  EXPECT_THAT(rules(), IsEmpty());
}

TEST_F(FindingsTest, WhatAProcessNeededToItsEndIsNotLeft) {
  // A server's one database: its table, and entries.
  leave(P, site("Entry", 40, 5000, 200000), 5000, 200000);
  EXPECT_THAT(rules(), ElementsAre("alive-at-end"));
  leave(P, site("Entry *", 8, 1, 65536), 1, 65536);
  P.PeakLiveBytes = 280000;
  EXPECT_THAT(rules(), IsEmpty());
  EXPECT_THAT(whyNoFinding(P), HasSubstr("of the peak was alive at the end"));
  // Most of the peak was taken down, and the entries were not.
  P.PeakLiveBytes = 2800000;
  EXPECT_THAT(rules(), ElementsAre("alive-at-end"));
  // One block of a line is not a leak.
  P.Sites.erase(P.Sites.begin());
  P.Types.erase(P.Types.begin());
  P.Sites[0].Type = 0;
  P.Types[0].Sites = {0};
  EXPECT_THAT(rules(), IsEmpty());
}

TEST_F(FindingsTest, MoreAtEachMoment) {
  leave(P, site("Foo", 40, 3000, 120000), 3000, 120000);
  P.WholeRun = false; // a moment of a server
  P.Timeline = {{0, "start", ""}, {10, "named", "a"}, {20, "named", "b"}};
  P.Types[0].LiveBytesAt = {0, 40000, 120000};
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "live-growth");
  EXPECT_EQ(F.By, Measure::Footprint);
  EXPECT_THAT(F.Message, HasSubstr("3000 blocks alive, 100 % of all"));
  P.Types[0].LiveBytesAt = {0, 120000, 120000}; // loaded, and kept
  EXPECT_THAT(rules(), IsEmpty());
  P.Types[0].LiveBytesAt = {0, 40000, 120000};
  P.Types[0].Sum.Frees = 3000; // a window that moves
  EXPECT_THAT(rules(), IsEmpty());
}

namespace {

/// Grows by \p Each bytes at each of forty summaries.
void grows(Profile &P, size_t Type, uint64_t Each) {
  P.Timeline.clear();
  P.Types[Type].LiveBytesAt.clear();
  for (uint64_t I = 0; I < 40; ++I) {
    P.Timeline.push_back({I * 1000000000, "periodic", ""});
    P.Types[Type].LiveBytesAt.push_back(I * Each);
  }
}

} // namespace

TEST_F(FindingsTest, GrowthIsOneFindingACauseHoweverSmall) {
  leave(P, site("Request", 48, 400, 19200), 400, 19200);
  leave(P, site("std::_Rb_tree_node<int>", 40, 400, 16000), 400, 16000);
  leave(P, site("Other", 8, 400, 3200), 400, 3200);
  P.Sites[2].Where = {"g()", "b.cpp", 7, 1};
  for (size_t Type = 0; Type < 3; ++Type)
    grows(P, Type, 400 * (3 - Type));
  P.Processes.emplace_back().Running = true; // killed
  P.Totals.Allocations = 1000000000;
  P.Totals.AllocatedBytes = 100000000000;
  P.PeakLiveBytes = 100000000; // less than 1 % of it, too
  const auto All = findingsOf(P, kAll);
  ASSERT_THAT(rules(), ElementsAre("unbounded-growth", "unbounded-growth"));
  EXPECT_EQ(aboutOf(P, All[0]), "Request");
  EXPECT_THAT(All[0].Message, HasSubstr("grows without bound: "));
  EXPECT_EQ(All[0].Bytes, 39u * (1200 + 800));
  EXPECT_THAT(All[0].Sites, ElementsAre(0, 1));
  EXPECT_EQ(aboutOf(P, All[1]), "Other");
}

TEST_F(FindingsTest, AContainerAndItsElementsAreOneCause) {
  leave(P, site("Session", 48, 400, 19200), 400, 19200);
  leave(P,
        site("std::_Rb_tree_node<std::pair<const int, Session> >", 40, 400,
             16000),
        400, 16000);
  P.Sites[1].Where = {"insert()", "b.cpp", 7, 1};
  grows(P, 0, 400);
  grows(P, 1, 300);
  EXPECT_THAT(rules(), ElementsAre("unbounded-growth"));
}

TEST_F(FindingsTest, BlocksOfTheRuntimesAreForNobody) {
  SiteResult &S = site("char", 1, 5000, 5000 * 600);
  P.Types[0].Name.reset();
  S.Sum.Temporary = 5000;
  S.Kind = "caller";
  S.Caller = {"main", "a.cpp", 7, 0};
  S.Where = {"opendir", {}, 0, 0};
  S.Module = "/lib/x86_64-linux-gnu/libc.so.6";
  EXPECT_THAT(rules(), IsEmpty());
  S.Module.clear(); // static
  S.Where.Function = "__alloc_dir";
  EXPECT_THAT(rules(), IsEmpty());
  // Its caller can avoid strdup().
  S.Module = "/lib/x86_64-linux-gnu/libc.so.6";
  S.Where.Function = "strdup";
  EXPECT_THAT(rules(), ElementsAre("temporary"));
  S.Where.Function = "__cxa_allocate_dependent_exception";
  S.Module = "/lib/x86_64-linux-gnu/libstdc++.so.6";
  EXPECT_THAT(rules(), IsEmpty());
  S.Kind = "coroutine";
  S.Module.clear();
  S.Where = {"task()", "a.cpp", 3, 0};
  EXPECT_THAT(rules(), IsEmpty());
  S.Kind = "new";
  EXPECT_THAT(rules(), ElementsAre("temporary"));
  P.Types[0].Name = "coroutine frame of task()";
  EXPECT_THAT(rules(), IsEmpty());
}

TEST_F(FindingsTest, LargeBlocksOfALoop) {
  P.Totals.AllocatedBytes = 40 * (9 << 20);
  site("char", 1, 40, 40 * (9 << 20));
  P.Types[0].PeakLiveBytes = 9 << 20;
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "large-in-loop");
  EXPECT_EQ(F.SavesAllocations, 39u);
  EXPECT_EQ(F.SavesBytes, 39u * (9 << 20));
  EXPECT_EQ(F.severity(), Severity::High);
  P.Types[0].PeakLiveBytes = 20 * (9 << 20); // many at a time
  EXPECT_THAT(rules(), IsEmpty());
  P.Types[0].PeakLiveBytes.reset(); // not known
  EXPECT_THAT(rules(), IsEmpty());
  P.Types[0].PeakLiveBytes = 9 << 20;
  P.Sites[0].Sum.Allocations = 5;
  EXPECT_THAT(rules(), IsEmpty());
}

TEST_F(FindingsTest, ObjectsMadeAndDeletedOneAtATime) {
  SiteResult &S = site("Request", 64, 5000, 320000);
  S.Kind = "new";
  P.Types[0].PeakLiveBytes = 64;
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "object-churn");
  EXPECT_EQ(F.SavesAllocations, 4999u);
  EXPECT_THAT(F.Advice, HasSubstr("a local variable"));
  P.Types[0].PeakLiveBytes = 640;
  EXPECT_THAT(only().Advice, HasSubstr("use them again"));
  P.Types[0].PeakLiveBytes = 64000; // they stay a while
  EXPECT_THAT(rules(), IsEmpty());
  P.Types[0].PeakLiveBytes = 64;
  S.Sum.Temporary = 2500; // of which another rule knows more
  EXPECT_THAT(rules(), ElementsAre("temporary"));
  S.Sum.Temporary = 0;
  S.Alias = "std::vector<Request> buffer";
  EXPECT_THAT(rules(), IsEmpty());
}

TEST_F(FindingsTest, AllocationMayNotBeWhatTakesTheTime) {
  site("Foo", 40, 1000, 40000).Sum.Temporary = 1000;
  P.Processes.emplace_back().Complete = true;
  EXPECT_FALSE(allocationCost(P)); // nothing says how long it took
  P.Processes[0].DurationNs = 100000000;
  EXPECT_FALSE(allocationCost(P)); // too short to say
  P.Processes[0].DurationNs = 10000000000;
  ASSERT_TRUE(allocationCost(P));
  EXPECT_TRUE(allocationCost(P)->isLittle());
  EXPECT_THAT(printText(P, {}, {}), HasSubstr("INMEM_OPTIONS=profile=1ms"));
  P.Totals.Allocations = 100000000; // most of the ten seconds
  EXPECT_FALSE(allocationCost(P)->isLittle());
  EXPECT_EQ(whyNotFaster(P), "");
  // Samples know better.
  P.Samples.emplace().Running = 1000;
  P.Samples->Functions.emplace_back().Allocator = 20;
  EXPECT_TRUE(allocationCost(P)->isLittle());
  EXPECT_THAT(whyNotFaster(P), HasSubstr("2.0 % of the CPU samples"));
  P.Samples->Functions[0].Allocator = 200;
  EXPECT_EQ(whyNotFaster(P), "");
}

TEST_F(FindingsTest, ControlBlocksByLine) {
  site("std::_Sp_counted_ptr<Foo *>", 24, 15000, 360000);
  P.Types.back().Alias = "std::shared_ptr<Foo> control block";
  SiteResult Second = P.Sites[0];
  Second.Where = {"first()", "a.cpp", 7, 1};
  Second.Sum.Allocations = 5000;
  P.Sites.push_back(Second);
  P.Types[0].Sites.push_back(1);
  const auto All = findingsOf(P, kAll);
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].SavesAllocations, 15000u);
  EXPECT_EQ(All[1].SavesAllocations, 5000u);
  EXPECT_EQ(All[1].Where.Line, 7u);
}

TEST_F(FindingsTest, FiguresOfARegrowthAreTheSameInEveryRunOrNotGiven) {
  SiteResult &S = site("long", 8, 0, 0);
  S.Alias = "std::vector<long> buffer";
  S.Chain = {inVector("_M_realloc_append<long>(long&&)"),
             {"f()", "a.cpp", 1, 1}};
  // 200 vectors of 32, whose blocks of 1 to 4 and 8 to 32 lived equally long:
  // counts alone say so.
  const auto Mixed = [&](uint64_t Each, uint64_t More) {
    S.Life.Lifetimes = Histogram(
        {{0, 100, 3 * Each, Each * (8 + 16 + 32)},
         {100, 200, 3 * Each + More, Each * (64 + 128 + 256) + More * 512}});
    S.Sum.Allocations = S.Sum.Frees = S.Life.Lifetimes.count();
    S.Sum.AllocatedBytes = S.Sum.FreedBytes = S.Life.Lifetimes.bytes();
    S.Sizes = SizeGroups::of(S.Life.Lifetimes, S.Sum);
  };
  Mixed(200, 0);
  ASSERT_TRUE(only().Ends);
  EXPECT_EQ(only().Ends->P50, 32u);
  EXPECT_EQ(only().SavesAllocations, 1000u);
  EXPECT_THAT(only().Message, HasSubstr("for about 200 vectors"));
  // Some ended elsewhere: neither counts nor lifetimes say how many.
  Mixed(200, 30);
  const Finding F = only();
  EXPECT_EQ(nameOf(F.Rule), "vector-regrowth");
  EXPECT_FALSE(F.Ends);
  EXPECT_EQ(F.Reserve, 0u);
  EXPECT_EQ(F.SavesAllocations, 0u);
  EXPECT_THAT(F.Message, HasSubstr("clock=events shows"));
  EXPECT_EQ(F.severity(), Severity::Medium);
  P.LifetimeUnit = Unit::Bytes;
  EXPECT_TRUE(only().Ends);
  // Lifetimes that were not all measured.
  P.LifetimeUnit = Unit::Nanoseconds;
  allocates(S, {8, 16, 32, 64}, 200);
  S.Sum.Allocations += 1;
  S.Sum.AllocatedBytes += 8;
  EXPECT_TRUE(only().Ends);
  S.Life.Count = 800;
  S.Life.Timed = 700;
  EXPECT_FALSE(only().Ends);
}
