//===- OptimizeTest.cpp - Profiles for the compiler -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/optimize/Held.h"

#include <gmock/gmock.h>

using namespace inmem::report;
using testing::HasSubstr;
using testing::Not;

namespace {

ContextLives lives(uint64_t Blocks, uint64_t Long, uint64_t Medium) {
  ContextLives Out;
  Out.Blocks = Blocks;
  Out.Bytes = Blocks * 8;
  Out.Long = Long;
  Out.Medium = Medium;
  Out.Least = Out.Most = 8;
  return Out;
}

CodeStack stack(const char *Caller) {
  return {{"leaf", 1, 2, true}, {"middle", 3, 4, false}, {Caller, 5, 6, false}};
}

TEST(LifeClassTest, FollowsWhatMostBlocksDo) {
  EXPECT_EQ(lives(10, 6, 0).lifeClass(), LifeClass::Steady);
  EXPECT_EQ(lives(10, 5, 0).lifeClass(), LifeClass::Short);
  EXPECT_EQ(lives(10, 5, 1).lifeClass(), LifeClass::Phase);
  EXPECT_EQ(lives(10, 0, 6).lifeClass(), LifeClass::Phase);
  EXPECT_EQ(lives(10, 0, 5).lifeClass(), LifeClass::Short);
}

TEST(LifeClassTest, RunsAreAddedBlockByBlock) {
  ContextLives Sum = lives(10, 10, 0);
  Sum.add(lives(100, 0, 0));
  EXPECT_EQ(Sum.Blocks, 110U);
  EXPECT_EQ(Sum.lifeClass(), LifeClass::Short);
}

TEST(LifeClassTest, PhasesAreJoinedWhereTheyGainNothing) {
  LifeProfile P;
  ContextLives Steady = lives(10, 10, 0), Phase = lives(10, 0, 10),
               Short = lives(1000, 0, 0);
  Steady.Milliseconds = 100; // of 8 bytes each
  P.Contexts[stack("keeper")] = Steady;
  P.Contexts[stack("waiter")] = Phase;
  P.Contexts[stack("passer")] = Short;
  const auto PhasesAfter = [&](double OfPhase, double OfShort) {
    LifeProfile Copy = P;
    Copy.Contexts[stack("waiter")].Milliseconds = OfPhase;
    Copy.Contexts[stack("passer")].Milliseconds = OfShort;
    Copy.joinPhases();
    EXPECT_EQ(Copy.countOf(LifeClass::Steady), 1U);
    EXPECT_EQ(Copy.countOf(LifeClass::Short) + Copy.countOf(LifeClass::Phase),
              2U);
    return Copy.countOf(LifeClass::Phase);
  };
  EXPECT_EQ(PhasesAfter(100, 199), 1U);
  EXPECT_EQ(PhasesAfter(100, 201), 0U); // short ones hold more
  EXPECT_EQ(PhasesAfter(899, 0), 1U);
  EXPECT_EQ(PhasesAfter(901, 0), 0U); // phases hold most
}

TEST(MemProfTest, EachFunctionOnTheWayHasItsRecord) {
  LifeProfile P;
  P.Contexts[stack("keeper")] = lives(10, 10, 0);
  P.Contexts[stack("waiter")] = lives(10, 0, 10);
  P.Contexts[stack("passer")] = lives(10, 0, 0);
  const std::string Text = printMemProf(P);
  for (const char *Function : {"leaf", "middle", "keeper", "waiter", "passer"})
    EXPECT_THAT(Text, HasSubstr("  - GUID: " + std::string(Function) + "\n"));
  // Sites stand with the function that asks, and with what it was inlined into;
  // all but the first have places of calls.
  const auto Record = [&](const std::string &Function) {
    const size_t At = Text.find("GUID: " + Function);
    return Text.substr(At, Text.find("GUID: ", At + 1) - At);
  };
  EXPECT_THAT(Record("leaf"), Not(HasSubstr("CallSites")));
  EXPECT_THAT(Record("middle"), HasSubstr("AllocSites"));
  EXPECT_THAT(Record("middle"), HasSubstr("CallSites"));
  EXPECT_THAT(Record("keeper"), HasSubstr("CallSites"));
  EXPECT_THAT(Record("keeper"), Not(HasSubstr("AllocSites")));
  for (const char *Density :
       {"Density: 0 }", "Density: 10 }", "Density: 1000 }"})
    EXPECT_THAT(Text, HasSubstr(Density));
  EXPECT_THAT(
      Text,
      HasSubstr(
          "{ Function: leaf, LineOffset: 1, Column: 2, IsInlineFrame: true }"));
}

TEST(HeldTest, ContextsOfBothRunsAreJudged) {
  LifeProfile Old, New;
  Old.Contexts[stack("keeper")] = lives(10, 10, 0);
  Old.Contexts[stack("passer")] = lives(10, 0, 0);
  New.Contexts[stack("keeper")] = lives(30, 30, 0);
  New.Contexts[stack("passer")] = lives(10, 10, 0);
  New.Contexts[stack("stranger")] = lives(5, 0, 0);
  const Held H = compareLives(Old, New);
  EXPECT_EQ(H.Kept.Bytes, 240U);
  EXPECT_EQ(H.Missed.Bytes, 80U);
  EXPECT_EQ(H.Unknown.Contexts, 1U);
  EXPECT_DOUBLE_EQ(H.share(), 0.75);
  EXPECT_DOUBLE_EQ(compareLives({}, {}).share(), 1);
}

} // namespace
