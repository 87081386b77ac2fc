//===- AdviceTest.cpp - Whether advice fits, and whom it names ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FindingsFixture.h"

#include "report/text/TextReport.h"

#include <gmock/gmock.h>

using namespace inmem::report;
using namespace inmem::test;
using testing::HasSubstr;
using testing::Not;

TEST_F(FindingsTest, AdviceKnowsWhetherBlocksOutliveTheirFunction) {
  SiteResult &S = site("long", 8, 5000, 200000);
  S.Alias = "std::vector<long> buffer";
  S.Sum.Temporary = S.Sum.Frees = 5000;
  EXPECT_EQ(only().Advice, "reuse one container and clear() it, outside of the "
                           "loop or the caller's");
  StackFrame F;
  F.Where = {"g()", "a.cpp", 9, 0};
  P.Calls.Frames.push_back(F);
  F.Where = S.Where;
  P.Calls.Frames.push_back(F);
  FreeResult R;
  R.Frees = 5000;
  R.Freeing = {0};
  P.Frees = {R};
  EXPECT_THAT(only().Advice, HasSubstr("fill a container of the caller's"));
  P.Frees[0].Freeing = {0, 1};
  EXPECT_THAT(only().Advice, HasSubstr("outside of the loop and clear() it"));
  P.Frees.push_back(R);
  EXPECT_THAT(only().Advice, HasSubstr("reuse one container"));
}

TEST_F(FindingsTest, AWrapperNamesItsCallers) {
  SiteResult &S = site("Foo", 40, 5000, 200000);
  S.Kind = "malloc";
  S.Sum.LiveAllocations = 5000;
  S.Sum.LiveBytes = 200000;
  StackFrame F;
  for (const char *Function : {"f()", "parse(int)", "load()"}) {
    F.Where = {Function, "a.cpp", 9, 0};
    P.Calls.Frames.push_back(F);
  }
  for (const uint32_t Caller : {1, 2}) {
    StackResult R;
    R.Frames = {Caller, 0};
    R.Sum.Allocations = R.Sum.LiveAllocations = Caller == 1 ? 4000 : 1000;
    P.Calls.Stacks.push_back(R);
  }
  EXPECT_EQ(only().Rule, "alive-at-end");
  EXPECT_THAT(only().Message, HasSubstr("; for parse 80.0 %, load 20.0 %"));
  // Which of the blocks: all that parse() allocated are gone.
  P.Calls.Stacks[0].Sum.LiveAllocations = 0;
  EXPECT_THAT(only().Message, Not(HasSubstr("; for")));
  S.Sum.LiveAllocations = S.Sum.LiveBytes = 0;
  S.Sum.Temporary = 5000;
  EXPECT_THAT(only().Message, HasSubstr("; for parse 80.0 %, load 20.0 %"));
  EXPECT_EQ(only().Advice,
            "let each caller keep it on its stack, or reuse one buffer");
  // Callers that were inlined are known without stacks.
  P.Calls.Stacks.clear();
  P.Sites.push_back(P.Sites[0]);
  P.Types[0].Sites.push_back(1);
  for (const size_t I : {0, 1})
    P.Sites[I].Chain = {P.Sites[I].Where,
                        {I ? "load()" : "parse(int)", "b.cpp", 3, 0}};
  EXPECT_THAT(only().Message, HasSubstr("; for load 50.0 %, parse 50.0 %"));
}

TEST_F(FindingsTest, BlocksHaveOneFindingOfAllTheirRules) {
  // Of a type and of one of its sites.
  site("std::_Rb_tree_node<int>", 40, 5000, 200000).Sum.Temporary = 3000;
  P.Types.back().Alias = "std::set<int> node";
  P.Types.back().PeakLiveBytes = 4000;
  EXPECT_EQ(only().Rule, "node-churn");
  P.Types.back().PeakLiveBytes = 190000;
  EXPECT_EQ(only().Rule, "temporary");
  // What is alive and what is gone are different blocks.
  P.Sites[0].Sum.LiveAllocations = 1000;
  P.Sites[0].Sum.LiveBytes = 40000;
  EXPECT_THAT(rules(),
              testing::UnorderedElementsAre("temporary", "alive-at-end"));
}

TEST_F(FindingsTest, SeverityOfARegrowthIsNotTheClocks) {
  // One run times lives so, another otherwise; blocks and bytes are equal.
  std::vector<double> Stakes;
  for (const bool Apart : {false, true}) {
    P.Types.clear();
    P.Sites.clear();
    SiteResult &S = site("long", 8, 0, 0);
    S.Alias = "std::vector<long> buffer";
    S.Chain = {inVector("_M_realloc_append<long>(long&&)"),
               {"f()", "a.cpp", 1, 1}};
    std::vector<Bucket> Lives;
    for (uint64_t I = 0; I < 8; ++I) {
      const uint64_t From = Apart ? 100 * I : 100 * (I / 4);
      const uint64_t Blocks = I < 5 ? 200 : 20;
      if (!Lives.empty() && Lives.back().From == From) {
        Lives.back().Count += Blocks;
        Lives.back().Bytes += Blocks * (8 << I);
      } else {
        Lives.push_back({From, From + 100, Blocks, Blocks * (8 << I)});
      }
    }
    S.Life.Lives = Histogram(std::move(Lives));
    S.Sum.Allocations = S.Sum.Frees = S.Life.Lives.count();
    S.Sum.AllocatedBytes = S.Sum.FreedBytes = S.Life.Lives.bytes();
    S.Sizes = SizeGroups::of(S.Life.Lives, S.Sum);
    EXPECT_EQ(only().Rule, "vector-regrowth");
    Stakes.push_back(only().Stake);
  }
  EXPECT_EQ(Stakes[0], Stakes[1]);
}

TEST_F(FindingsTest, DetailsHaveTheSizeOfABlock) {
  site("Header", 40, 100, 409600);
  EXPECT_THAT(printText(P, {}, {}), HasSubstr("4.0 KiB a block"));
  P.Types[0].Sum.AllocatedBytes = 4000;
  EXPECT_THAT(printText(P, {}, {}), HasSubstr("40 bytes each"));
}
