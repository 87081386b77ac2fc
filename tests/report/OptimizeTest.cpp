//===- OptimizeTest.cpp - Profiles for the compiler -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/optimize/PredictionCheck.h"
#include "report/optimize/ProgramRuns.h"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <sstream>

using namespace inmem::report;
using testing::HasSubstr;
using testing::Not;

namespace {

/// Blocks of 8 bytes. Each is held for one millisecond.
ContextLifetimes lives(uint64_t Blocks, uint64_t Steady, uint64_t Phase) {
  ContextLifetimes Out;
  Out.Blocks = Blocks;
  Out.Bytes = Blocks * 8;
  const auto Set = [&](LifetimeClass C, uint64_t Count) {
    Out.of(C) = {Count, Count * 8, static_cast<double>(Count * 8)};
  };
  Set(LifetimeClass::Steady, Steady);
  Set(LifetimeClass::Phase, Phase);
  Set(LifetimeClass::Short, Blocks - Steady - Phase);
  Out.Least = Out.Most = 8;
  return Out;
}

CodeStack stack(const char *Caller) {
  return {{"leaf", 1, 2, true}, {"middle", 3, 4, false}, {Caller, 5, 6, false}};
}

TEST(LifetimeClassTest, FollowsWhatMostBlocksDo) {
  EXPECT_EQ(lives(10, 6, 0).lifetimeClass(), LifetimeClass::Steady);
  EXPECT_EQ(lives(10, 5, 0).lifetimeClass(), LifetimeClass::Short);
  EXPECT_EQ(lives(10, 5, 1).lifetimeClass(), LifetimeClass::Phase);
  EXPECT_EQ(lives(10, 0, 6).lifetimeClass(), LifetimeClass::Phase);
  EXPECT_EQ(lives(10, 0, 5).lifetimeClass(), LifetimeClass::Short);
}

/// Short-lived blocks of 8 bytes, and steady ones of \p Size.
ContextLifetimes grown(uint64_t Short, uint64_t Steady, uint64_t Size,
                       double ShortHeld) {
  ContextLifetimes Out;
  Out.Blocks = Short + Steady;
  Out.Bytes = Short * 8 + Steady * Size;
  Out.of(LifetimeClass::Short) = {Short, Short * 8, ShortHeld};
  Out.of(LifetimeClass::Steady) = {Steady, Steady * Size, 100};
  return Out;
}

TEST(LifetimeClassTest, OfABufferThatGrowsTheLastBlockDecides) {
  EXPECT_EQ(grown(90, 10, 40, 99).lifetimeClass(), LifetimeClass::Steady);
  EXPECT_EQ(grown(90, 10, 40, 101).lifetimeClass(),
            LifetimeClass::Short); // hold more
  EXPECT_EQ(grown(90, 10, 36, 1).lifetimeClass(), LifetimeClass::Steady);
  EXPECT_EQ(grown(90, 10, 35, 1).lifetimeClass(),
            LifetimeClass::Short); // of the bytes
  EXPECT_EQ(grown(20, 10, 16, 1).lifetimeClass(), LifetimeClass::Steady);
  EXPECT_EQ(grown(20, 10, 15, 1).lifetimeClass(),
            LifetimeClass::Short); // no growth
}

TEST(LifetimeClassTest, RunsAreAddedBlockByBlock) {
  ContextLifetimes Sum = lives(10, 10, 0);
  Sum.add(lives(100, 0, 0));
  EXPECT_EQ(Sum.Blocks, 110U);
  EXPECT_EQ(Sum.lifetimeClass(), LifetimeClass::Short);
}

TEST(LifetimeClassTest, PhasesAreJoinedWhereTheyGainNothing) {
  LifetimeProfile P;
  ContextLifetimes Steady = lives(10, 10, 0), Phase = lives(10, 0, 10),
                   Short = lives(1000, 0, 0);
  Steady.of(LifetimeClass::Steady).Held = 800;
  P.of(stack("keeper")) = Steady;
  P.of(stack("waiter")) = Phase;
  P.of(stack("passer")) = Short;
  const auto PhasesAfter = [&](double OfPhase, double OfShort) {
    LifetimeProfile Copy = P;
    Copy.of(stack("waiter")).of(LifetimeClass::Phase).Held = OfPhase * 8;
    Copy.of(stack("passer")).of(LifetimeClass::Short).Held = OfShort * 8;
    if (!Copy.phasesGain())
      Copy.takePhasesForShort();
    EXPECT_EQ(Copy.countOf(LifetimeClass::Steady), 1U);
    EXPECT_EQ(Copy.countOf(LifetimeClass::Short) +
                  Copy.countOf(LifetimeClass::Phase),
              2U);
    return Copy.countOf(LifetimeClass::Phase);
  };
  EXPECT_EQ(PhasesAfter(100, 199), 1U);
  EXPECT_EQ(PhasesAfter(100, 201), 0U); // short ones hold more
  EXPECT_EQ(PhasesAfter(899, 0), 1U);
  EXPECT_EQ(PhasesAfter(901, 0), 0U); // phases hold most
}

TEST(LifetimeClassTest, BlocksAreSortedByLives) {
  ContextLifetimes L;
  L.Blocks = 100;
  L.Bytes = 10000;
  const Histogram Freed(
      {{0, 2, 40, 400}, {20, 22, 30, 3000}, {300, 302, 20, 2000}});
  L.sortLifetimes(Freed, 1000, 500);
  EXPECT_EQ(L.of(LifetimeClass::Short).Blocks, 40U);
  EXPECT_EQ(L.of(LifetimeClass::Phase).Blocks, 30U);
  EXPECT_EQ(L.of(LifetimeClass::Steady).Blocks,
            30U); // ten are alive at the end
  EXPECT_EQ(L.of(LifetimeClass::Phase).Bytes, 3000U);
  EXPECT_EQ(L.of(LifetimeClass::Steady).Bytes, 6600U);
  EXPECT_DOUBLE_EQ(L.of(LifetimeClass::Phase).Held, 3000 * 10.5);
  EXPECT_DOUBLE_EQ(L.of(LifetimeClass::Steady).Held, 2000 * 150.5 + 4600 * 250);
  EXPECT_DOUBLE_EQ(L.Milliseconds,
                   40 * 0.5 + 30 * 10.5 + 20 * 150.5 + 10 * 250);
}

TEST(LifetimeClassTest, AHundredthAndAQuarterOfTheRunDivide) {
  ContextLifetimes L;
  L.Blocks = 10;
  L.Bytes = 80;
  const Histogram Freed({{98, 100, 1, 8},
                         {100, 102, 2, 16},
                         {2498, 2500, 3, 24},
                         {2500, 2502, 4, 32}});
  L.sortLifetimes(Freed, 10000, 1);
  EXPECT_EQ(L.of(LifetimeClass::Short).Blocks, 1U);
  EXPECT_EQ(L.of(LifetimeClass::Phase).Blocks, 5U);
  EXPECT_EQ(L.of(LifetimeClass::Steady).Blocks, 4U);
}

TEST(MemProfTest, InlinedCallsBelongToEachFunctionOfThem) {
  LifetimeProfile P;
  P.of({{"leaf", 1, 2, false},
        {"inlined", 3, 4, true},
        {"outer", 5, 6, false},
        {"main", 7, 8, false}}) = lives(10, 10, 0);
  P.of({{"leaf", 1, 2, false},
        {"inlined", 3, 4, true},
        {"outer", 5, 6, false},
        {"other", 7, 8, false}}) = lives(10, 0, 0);
  const std::string Text = printMemProf(P).Text;
  const std::string Call = "    CallSites:\n"
                           "      - Frames:\n"
                           "          - { Function: inlined, LineOffset: 3, "
                           "Column: 4, IsInlineFrame: true }\n"
                           "          - { Function: outer, LineOffset: 5, "
                           "Column: 6, IsInlineFrame: false }\n";
  EXPECT_THAT(Text, HasSubstr("  - GUID: inlined\n" + Call));
  EXPECT_THAT(Text, HasSubstr("  - GUID: outer\n" + Call));
}

TEST(MemProfTest, EachFunctionOnTheWayHasItsRecord) {
  LifetimeProfile P;
  P.of(stack("keeper")) = lives(10, 10, 0);
  P.of(stack("waiter")) = lives(10, 0, 10);
  P.of(stack("passer")) = lives(10, 0, 0);
  const std::string Text = printMemProf(P).Text;
  for (const char *Function : {"leaf", "middle", "keeper", "waiter", "passer"})
    EXPECT_THAT(Text, HasSubstr("  - GUID: " + std::string(Function) + "\n"));
  // Sites are listed with the function that asks, and with what it was inlined
  // into; all but the first have places of calls.
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

/// Frames of "f", "g", ...: a site in f, called by g, and so on.
CodeStack calls(std::string_view Functions) {
  CodeStack Out;
  for (const char F : Functions)
    Out.push_back({std::string(1, F), 1, 2, false});
  return Out;
}

/// Functions of the callstacks in a text, as calls() takes them.
std::vector<std::string> stacksOf(const std::string &Text) {
  std::vector<std::string> Out;
  std::istringstream In(Text);
  bool IsSite = false;
  for (std::string Line; std::getline(In, Line);) {
    if (Line.ends_with("Callstack:"))
      Out.emplace_back();
    IsSite =
        Line.ends_with("Callstack:") || (IsSite && !Line.ends_with("Frames:"));
    if (const size_t At = Line.find("Function: "); IsSite && At != Line.npos)
      Out.back() += Line[At + 10];
  }
  return Out;
}

TEST(CallTableTest, FramesAreSplitIntoCalls) {
  CallTable T;
  const CodeStack Stack = {{"a", 1, 1, true},
                           {"b", 2, 1, false},
                           {"c", 3, 1, false},
                           {"d", 4, 1, true}};
  const CallStack Calls = T.add(Stack);
  EXPECT_EQ(Calls, (CallStack{0, 1, 2}));
  EXPECT_EQ(T.frames(Calls), Stack);
  EXPECT_EQ(T.add({{"c", 3, 1, false}}), CallStack{1});
  EXPECT_EQ(T.find({{"c", 3, 1, false}}), 1U);
  EXPECT_EQ(T.find({{"c", 4, 1, false}}), std::nullopt);
  EXPECT_EQ(T.size(), 3U);
  T.add({{"b", 0, 0, false}});
  EXPECT_EQ(T.ranks(), (std::vector<uint32_t>{0, 2, 3, 1}));
}

TEST(CallTableTest, AFunctionIsLeftTwiceAmongCallers) {
  const auto Folded = [](std::string_view Functions) {
    CallTable T;
    std::string Out;
    for (const CodeFrame &F :
         T.frames(foldRecursion(T.add(calls(Functions)), T)))
      Out += F.Function;
    return Out;
  };
  EXPECT_EQ(Folded(""), "");
  EXPECT_EQ(Folded("a"), "a");
  EXPECT_EQ(Folded("abc"), "abc");
  EXPECT_EQ(Folded("aaam"), "aaam"); // the site, and two calls
  EXPECT_EQ(Folded("aaaam"), "aaam");
  EXPECT_EQ(Folded("aaaaaaaam"), "aaam");
  EXPECT_EQ(Folded("sababababm"), "sababm");
  EXPECT_EQ(Folded("sabcbdbem"), "sabcbem");
  EXPECT_EQ(Folded("sabacadm"), "sabadm");
}

TEST(CallTableTest, EachCallLeadsToTheOneBeforeIt) {
  // A frame is a line of its function; the line says whom it calls.
  const auto Caller = [](char F, char Callee) {
    return CodeFrame{std::string(1, F), static_cast<uint32_t>(Callee), 1,
                     false};
  };
  std::minstd_rand Random(1);
  for (unsigned Round = 0; Round < 500; ++Round) {
    CodeStack Stack = {Caller('s', 0)};
    for (unsigned I = 0; I < 16; ++I)
      Stack.push_back(Caller(static_cast<char>('a' + Random() % 4),
                             Stack.back().Function[0]));
    CallTable T;
    const CodeStack Out = T.frames(foldRecursion(T.add(Stack), T));
    std::map<std::string, int> Times;
    for (size_t I = 1; I < Out.size(); ++I) {
      EXPECT_EQ(Out[I].LineOffset,
                static_cast<uint32_t>(Out[I - 1].Function[0]));
      EXPECT_LE(++Times[Out[I].Function], 2);
    }
    EXPECT_EQ(Out.back().Function, Stack.back().Function);
  }
}

TEST(MemProfTest, ContextsEndWhereAllAgree) {
  LifetimeProfile P;
  P.of(calls("fgm")) = lives(10, 10, 0);
  P.of(calls("fgn")) = lives(20, 20, 0);
  P.of(calls("fhm")) = lives(10, 0, 0);
  P.of(calls("fhn")) = lives(10, 10, 0);
  P.of(calls("fhna")) = lives(10, 10, 0);
  P.of(calls("x")) = lives(10, 0, 0);
  P.of(calls("yam")) = lives(10, 0, 0);
  P.of(calls("ybm")) = lives(10, 0, 0);
  const MemProf M = printMemProf(P);
  EXPECT_EQ(M.MixedBytes, 0U);
  EXPECT_EQ(M.Contexts, 5U);
  EXPECT_THAT(stacksOf(M.Text),
              testing::ElementsAre("fg", "fhm", "fhn", "x", "y"));
  EXPECT_THAT(M.Text, HasSubstr("AllocCount: 30, TotalSize: 240,"));
  EXPECT_THAT(M.Text, HasSubstr("  - GUID: m\n    CallSites:\n"));
  EXPECT_THAT(M.Text, Not(HasSubstr("  - GUID: a\n")));
}

TEST(MemProfTest, AFunctionOfSeveralClassesKeepsItsCallers) {
  LifetimeProfile P; // two sites in f
  P.of({{"f", 1, 2, false}, {"g", 1, 2, false}, {"m", 1, 2, false}}) =
      lives(10, 10, 0);
  P.of({{"f", 2, 2, false}, {"g", 1, 2, false}, {"m", 1, 2, false}}) =
      lives(10, 0, 0);
  EXPECT_THAT(stacksOf(printMemProf(P).Text), testing::ElementsAre("fg", "fg"));
  P.of({{"f", 2, 2, false}, {"g", 1, 2, false}, {"m", 1, 2, false}}) =
      lives(10, 10, 0);
  EXPECT_THAT(stacksOf(printMemProf(P).Text), testing::ElementsAre("f", "f"));
}

TEST(MemProfTest, ALongProfileJoinsContextsWhereLeastIsLost) {
  LifetimeProfile P;
  for (const char *Outer : {"m", "n"})
    for (const char *Site : {"fg", "fh"})
      P.of(calls(std::string(Site) + Outer)) =
          lives(1000, *Outer == 'm' ? 1000 : 0, 0);
  P.of(calls("fgn")) = lives(1, 0, 0);
  EXPECT_EQ(printMemProf(P).MixedBytes, 0U);
  // The size that it has with the first two joined, and less.
  for (size_t Most = printMemProf(P).Text.size() + 1000;; --Most) {
    const MemProf M = printMemProf(P, Most);
    if (M.MixedBytes == 0)
      continue;
    // Each class keeps its blocks: the compiler sees that few disagree.
    EXPECT_THAT(stacksOf(M.Text),
                testing::ElementsAre("fg", "fg", "fhm", "fhn"));
    EXPECT_EQ(M.MixedBytes, 8U);
    EXPECT_LE(M.Text.size(), Most);
    break;
  }
  const MemProf Least = printMemProf(P, 0);
  EXPECT_THAT(stacksOf(Least.Text), testing::ElementsAre("f", "f"));
  EXPECT_EQ(Least.MixedBytes, 1001U * 8);
}

TEST(MemProfTest, TheTextDoesNotDependOnTheOrderOfTraces) {
  LifetimeProfile P, Q;
  const auto Add = [](LifetimeProfile &To, const char *Functions,
                      uint64_t Steady) {
    To.of(calls(Functions)).add(lives(10, Steady, 0));
  };
  Add(P, "fgm", 10), Add(P, "fhm", 0), Add(P, "xgm", 10);
  Add(Q, "xgm", 10), Add(Q, "fhm", 0), Add(Q, "fgm", 10);
  EXPECT_EQ(printMemProf(P).Text, printMemProf(Q).Text);
}

TEST(MemProfTest, ManyPathsThroughARecursionAreFew) {
  LifetimeProfile P;
  std::minstd_rand Random(1);
  for (unsigned I = 0; I < 20000; ++I) {
    CodeStack Stack = calls("s");
    for (unsigned Depth = 0; Depth < 14; ++Depth)
      Stack.push_back(
          {std::string(1, static_cast<char>('a' + Random() % 3)), 1, 2, false});
    Stack.push_back({I % 100 ? "short" : "long", 1, 2, false});
    P.of(Stack).add(lives(10, I % 100 ? 0 : 10, 0));
  }
  EXPECT_LT(P.Contexts.size(), 1000U);
  const MemProf M = printMemProf(P, 50000);
  EXPECT_LE(M.Text.size(), 50000U);
  EXPECT_LE(M.MixedBytes, 16000U); // all long-lived ones
}

TEST(HeldTest, ContextsOfBothRunsAreJudged) {
  LifetimeProfile Old, New;
  Old.of(stack("keeper")) = lives(10, 10, 0);
  Old.of(stack("passer")) = lives(10, 0, 0);
  New.of(stack("keeper")) = lives(30, 30, 0);
  New.of(stack("passer")) = lives(10, 10, 0);
  New.of(stack("stranger")) = lives(5, 0, 0);
  const PredictionCheck H = compareLifetimes(Old, New);
  EXPECT_EQ(H.Kept.Bytes, 240U);
  EXPECT_EQ(H.Missed.Bytes, 80U);
  EXPECT_EQ(H.Unknown.Contexts, 1U);
  EXPECT_DOUBLE_EQ(H.share(), 0.75);
  EXPECT_DOUBLE_EQ(compareLifetimes({}, {}).share(), 1);
}

TEST(HeldTest, RareBlocksOfLibrariesAreLeftOut) {
  LifetimeProfile Old, New;
  ContextLifetimes Rare = lives(9, 9, 0), Usual = lives(10, 10, 0);
  Rare.InLibrary = Usual.InLibrary = true;
  Old.of(stack("loader")) = New.of(stack("loader")) = Rare;
  New.of(stack("starter")) = Rare;
  EXPECT_TRUE(compareLifetimes(Old, New).Contexts.empty());
  EXPECT_EQ(compareLifetimes(Old, New).Unknown.Contexts, 0U);
  Old.of(stack("caller")) = New.of(stack("caller")) = Usual;
  EXPECT_EQ(compareLifetimes(Old, New).Kept.Contexts, 1U);
  Old.dropUnused();
  EXPECT_EQ(Old.Contexts.size(), 1U);
  Old.of(stack("caller")) = lives(10, 0, 0);
  Old.of(stack("caller")).InLibrary = true;
  Old.of(stack("own")) = lives(1, 0, 0);
  Old.dropUnused();
  EXPECT_EQ(Old.Contexts.size(), 1U); // only its own short ones stay
}

TEST(HeldTest, PhasesThatTheProfileDoesNotHaveAreShort) {
  LifetimeProfile Old, New;
  Old.of(stack("passer")) = lives(100, 0, 0);
  Old.of(stack("waiter")) = lives(10, 0, 10);
  Old.of(stack("other")) = lives(10, 0, 0);
  New.of(stack("waiter")) = lives(10, 0, 0);
  New.of(stack("other")) = lives(10, 0, 10);
  EXPECT_FALSE(Old.phasesGain());
  EXPECT_DOUBLE_EQ(compareLifetimes(Old, New).share(), 1);
  Old.of(stack("keeper")) = lives(100, 100, 0);
  EXPECT_TRUE(Old.phasesGain());
  EXPECT_DOUBLE_EQ(compareLifetimes(Old, New).share(), 0);
}

TEST(RunFigureTest, WorseIsBeyondToleranceSlackAndNoise) {
  const auto VerdictOf = [](std::vector<double> Old, std::vector<double> New,
                            double Slack = 1) {
    RunFigure F{.Slack = Slack, .Old = std::move(Old), .New = std::move(New)};
    EXPECT_EQ(F.worse(2), F.verdict(2) == "worse");
    return F.verdict(2);
  };
  EXPECT_EQ(VerdictOf({100}, {103}), "worse");
  EXPECT_EQ(VerdictOf({103}, {100}), "better");
  EXPECT_EQ(VerdictOf({100}, {102}), "same");
  EXPECT_EQ(VerdictOf({102}, {100}), "same");
  EXPECT_EQ(VerdictOf({100}, {104}, 4), "too small");
  EXPECT_EQ(VerdictOf({104}, {100}, 4), "too small");
  EXPECT_EQ(VerdictOf({100}, {104}, 3), "worse");
  // The middle counts, and a quarter of the runs may be as before.
  EXPECT_EQ(VerdictOf({90, 100, 110}, {91, 101, 200}), "same");
  EXPECT_EQ(VerdictOf({90, 100, 110, 120}, {109, 111, 130, 140}), "worse");
  EXPECT_EQ(VerdictOf({90, 100, 110, 120}, {109, 110, 130, 140}),
            "runs differ");
  EXPECT_EQ(VerdictOf({}, {100}), "run too short");
  EXPECT_EQ((RunFigure{.Judged = false, .Old = {1}, .New = {9}}.verdict(2)),
            "not judged");
  EXPECT_FALSE((RunFigure{.Judged = false, .Old = {1}, .New = {9}}.worse(2)));
  EXPECT_EQ(changeOf(0, 5), std::nullopt);
  EXPECT_DOUBLE_EQ(*changeOf(50, 75), 50);
}

} // namespace
