//===- PartsTest.cpp - Parts of a run: phases, threads, lifetimes ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfileOf.h"
#include "support/SampleTrace.h"

#include "report/formats/JsonParts.h"
#include "report/formats/Reports.h"
#include "report/model/OverTime.h"
#include "report/text/TextReport.h"
#include "report/text/ViewReports.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;

namespace {

/// Marks warmup, steady, (a snapshot) probe, steady; two types.
constexpr char kPhases[] = R"(
header state=complete pid=7 clock=exact ticks-per-second=1000000000 start-unix-ns=1000 end-unix-ns=9000
extent meta
  thread index=1 tid=70 name="main"
  thread index=2 tid=71 name="worker-a"
  type index=1 id=0x11 size=16 align=8 name="Foo"
  type index=2 id=0x12 size=8 align=8 name="Bar"
  site id=1 type=1 key=0x101 kind=new function="_Z4makei" file="a.cpp" line=3
  site id=2 type=2 key=0x102 kind=new function="_Z4morei" file="a.cpp" line=9
  phase snapshot=3 ticks=1 name="warmup"
  phase snapshot=4 ticks=2 name="steady"
  phase snapshot=5 ticks=3 only-name=1 name="probe"
  phase snapshot=6 ticks=4 name="steady"
extent snapshot sequence=3 kind=manual unix-ns=2000
  row site=1 type=1 allocations=10 bytes=160
extent snapshot sequence=4 kind=manual unix-ns=4000
  row site=1 type=1 allocations=30 bytes=480 frees=5 freed-bytes=80 timed=5 weighted-timed=5 sum=50 min=10 max=10
    octave 1 2=5/80
extent snapshot sequence=5 kind=manual unix-ns=5000
  row site=1 type=1 allocations=30 bytes=480 frees=9 freed-bytes=144 timed=9 weighted-timed=9 sum=90 min=10 max=10
    octave 1 2=9/144
  row site=2 type=2 allocations=4 bytes=32
extent snapshot sequence=6 kind=manual unix-ns=7000
  row site=1 type=1 allocations=30 bytes=480 frees=20 freed-bytes=320 timed=20 weighted-timed=20 sum=200 min=10 max=10
    octave 1 2=20/320
  row site=2 type=2 allocations=4 bytes=32
extent rows owner=1
  row site=1 type=1 allocations=35 bytes=560 frees=10 freed-bytes=160 timed=10 weighted-timed=10 sum=100 min=10 max=10
    octave 1 2=10/160
extent rows owner=2
  row site=1 type=1 frees=10 freed-bytes=160 timed=10 weighted-timed=10 sum=100 min=10 max=10
    octave 1 2=10/160
  row site=2 type=2 allocations=4 bytes=32 frees=2 freed-bytes=16 timed=2 weighted-timed=2 sum=2000 min=1000 max=1000
    octave 7 7=2/16
)";

Profile phase(std::string Words) {
  ProfileOptions Options;
  Options.Phase = std::move(Words);
  return profileOf(readText(kPhases), Options);
}

std::string error(std::string Words) {
  ProfileOptions Options;
  Options.Phase = std::move(Words);
  const trace::Trace T = readText(kPhases);
  const auto P = buildProfile({&T, 1}, Options);
  return P ? "" : P.status().str();
}

void addsUp(const Profile &P) {
  const auto Check = [](const Counts &C) {
    EXPECT_EQ(C.Allocations + C.CarriedAllocations,
              C.Frees + C.LiveAllocations);
    EXPECT_EQ(C.AllocatedBytes + C.CarriedBytes, C.FreedBytes + C.LiveBytes);
  };
  Check(P.Totals);
  for (const TypeResult &T : P.Types) {
    Check(T.Sum);
    if (T.Life.known()) {
      EXPECT_EQ(T.Life.Lifetimes.count(), T.Sum.Frees);
    }
  }
}

} // namespace

TEST(Phases, APhaseLastsToTheNextOne) {
  const Profile P = phase("warmup");
  addsUp(P);
  ASSERT_EQ(P.Types.size(), 1u);
  const Counts &C = P.Types[0].Sum;
  EXPECT_EQ(C.Allocations, 20u);
  EXPECT_EQ(C.AllocatedBytes, 320u);
  EXPECT_EQ(C.Frees, 5u);
  EXPECT_EQ(C.CarriedAllocations, 10u);
  EXPECT_EQ(C.LiveAllocations, 25u);
  EXPECT_EQ(P.Totals.Allocations, 20u);
  EXPECT_EQ(P.Types[0].Life.Timed, 5u);
  EXPECT_FALSE(P.Types[0].PeakLiveBytes) << "not known of a part";
  EXPECT_FALSE(P.PeakLiveBytes);
}

/// A reset, then phases a and b; objects of Foo.
constexpr char kMarked[] = R"(
header state=complete pid=7 clock=exact ticks-per-second=1000000000 start-unix-ns=1000 end-unix-ns=9000 live-bytes=64 peak-live-bytes=96 earlier-peak-live-bytes=320
extent meta
  thread index=1 tid=70 name="main"
  thread index=2 tid=71 name="worker"
  type index=1 id=0x11 size=16 align=8 name="Foo"
  site id=1 type=1 key=0x101 kind=new function="_Z4makei" file="a.cpp" line=3
  object module=1 cell=0 type=1 event=constructed storage=heap manner=default class="Foo" function="_Z4makei" file="a.cpp" line=3
  object module=1 cell=1 type=1 event=constructed storage=stack manner=copy class="Foo" function="_Z4copyi" file="a.cpp" line=4
  object module=1 cell=2 type=1 event=destroyed class="Foo"
  phase snapshot=2 ticks=1 name="a"
  phase snapshot=3 ticks=2 name="b"
extent snapshot sequence=1 kind=reset unix-ns=2000 flags=7 part-peak-live-bytes=320
  row site=1 type=1 allocations=20 bytes=320 frees=18 freed-bytes=288
extent snapshot sequence=2 kind=manual unix-ns=4000 flags=7 part-peak-live-bytes=48
  row site=1 type=1 allocations=22 bytes=352 frees=20 freed-bytes=320
extent snapshot sequence=3 kind=manual unix-ns=6000 flags=7 part-peak-live-bytes=160
  row site=1 type=1 allocations=30 bytes=480 frees=28 freed-bytes=448
extent mark-objects
  objects-at snapshot=1 module=1 cell=0 count=20
  objects-at snapshot=1 module=1 cell=1 count=5
  objects-at snapshot=1 module=1 cell=2 count=22
extent mark-objects
  objects-at snapshot=2 module=1 cell=0 count=22
  objects-at snapshot=2 module=1 cell=1 count=5
  objects-at snapshot=2 module=1 cell=2 count=24
extent mark-objects
  objects-at snapshot=3 module=1 cell=0 count=30
  objects-at snapshot=3 module=1 cell=1 count=6
  objects-at snapshot=3 module=1 cell=2 count=33
extent mark-peaks
  peak-at snapshot=1 type=1 peak=320
extent mark-peaks
  peak-at snapshot=2 type=1 peak=48
extent mark-peaks
  peak-at snapshot=3 type=1 peak=160
extent rows owner=1
  row site=1 type=1 allocations=34 bytes=544 frees=30 freed-bytes=480
extent types
  total
  total live=64 peak=96 earlier-peak=320
extent counters module=1 owner=1
  counts 30 7 31
extent counters module=1 owner=2
  counts 4 0 4
)";

Profile marked(std::string Words) {
  ProfileOptions Options;
  Options.Phase = std::move(Words);
  return profileOf(readText(kMarked), Options);
}

TEST(Phases, ThePeakOfAPhaseIsKnown) {
  const auto Peak = [](const char *Words) {
    return marked(Words).PeakLiveBytes;
  };
  EXPECT_EQ(Peak("a"), 160u);
  EXPECT_EQ(Peak("b"), 96u);
  EXPECT_EQ(Peak("..a"), 48u) << "from the reset";
  EXPECT_EQ(Peak("a.."), 160u);
  EXPECT_EQ(marked("b").Types[0].PeakLiveBytes, 96u);
  EXPECT_EQ(marked("a").Types[0].PeakLiveBytes, 160u);
  // Without a phase: since the reset.
  EXPECT_EQ(Peak(""), 160u);
  EXPECT_EQ(marked("").Types[0].PeakLiveBytes, 160u);
}

TEST(Phases, ObjectsCountFromTheResetAsBlocksDo) {
  const Profile P = marked("");
  ASSERT_EQ(P.Types.size(), 1u);
  EXPECT_EQ(P.Types[0].Sum.Allocations, 14u);
  const ObjectCounts &O = *P.Types[0].Objects;
  EXPECT_EQ(O.Heap, 14u);
  EXPECT_EQ(O.Copied, 2u);
  EXPECT_EQ(O.Destroyed, 13u);
  EXPECT_EQ(O.Carried, 3u);
  EXPECT_EQ(O.alive(), 6u);
  EXPECT_EQ(O.PeakAtLeast, 6u);
  EXPECT_EQ(O.PeakAtMost, 19u);
  EXPECT_EQ(marked("a").Types[0].Objects->Copied, 1u);
  EXPECT_EQ(marked("a").Types[0].Objects->Carried, 3u);
}

TEST(Phases, AnOlderTraceDoesNotSayWhatObjectsThereWereAtAReset) {
  std::string Text = kMarked;
  for (size_t At; (At = Text.find(" flags=7")) != Text.npos;)
    Text.erase(At, 8);
  const Profile P = profileOf(readText(Text), {});
  EXPECT_FALSE(P.Types[0].Objects);
  EXPECT_FALSE(P.ObjectsKnown);
  EXPECT_EQ(P.Totals.Allocations, 14u);
}

TEST(Phases, TheTableKnowsPeaksAndObjects) {
  const trace::Trace T = readText(kMarked);
  Profile P = profileOf(T, {});
  P.Phases = *phasesOf({&T, 1}, {}, 10);
  ASSERT_EQ(P.Phases.size(), 3u);
  EXPECT_EQ(P.Phases[0].PeakLiveBytes, 48u) << "from the reset";
  uint64_t Allocations = 0;
  for (const PhaseResult &Phase : P.Phases)
    Allocations += Phase.Sum.Allocations;
  EXPECT_EQ(Allocations, P.Totals.Allocations);
  EXPECT_EQ(P.Phases[1].PeakLiveBytes, 160u);
  EXPECT_EQ(P.Phases[1].Constructed, 9u);
  EXPECT_EQ(P.Phases[1].Destroyed, 9u);
  EXPECT_EQ(P.Phases[2].Constructed, 5u);
  const auto Json = phasesJson(P);
  EXPECT_EQ(Json[1]["peak_live_bytes"], 160);
  EXPECT_EQ(Json[1]["types"][0]["objects"]["carried"], 3);
  EXPECT_EQ(Json[1]["types"][0]["peak_live_bytes"], 160);
  const std::string Text = phaseTable(P, {}, {});
  EXPECT_NE(Text.find("peak"), Text.npos);
  EXPECT_NE(Text.find("objects"), Text.npos);
  EXPECT_NE(
      phasesCsv(P).find("7,a,3000,2000,Foo,8,128,8,128,2,32,2,32,160,9,9\r\n"),
      std::string::npos)
      << phasesCsv(P);
}

TEST(Parts, ObjectsOfAThread) {
  ProfileOptions Options;
  Options.ThreadGlobs = {"worker"};
  const Profile P = profileOf(readText(kMarked), Options);
  ASSERT_EQ(P.Types.size(), 1u);
  const ObjectCounts &O = *P.Types[0].Objects;
  EXPECT_EQ(O.Heap, 4u);
  EXPECT_EQ(O.Destroyed, 4u);
  EXPECT_EQ(O.Copied, 0u);
}

/// A thread without a name has its number, or two would be one.
TEST(Parts, AreOfThreadsByNameOrNumber) {
  ProfileOptions Options;
  Options.Parts = true;
  const Profile P = profileOf(
      readText("header state=complete\nextent meta\n site id=1\n"
               "extent rows owner=1\n row site=1 allocations=1 bytes=8\n"
               "extent rows owner=2\n row site=1 allocations=2 bytes=16\n"
               "extent rows owner=3\n row site=1 allocations=4 bytes=32\n"
               "extent thread-lives\n"
               " thread-life block=1 tid=70\n thread-life block=2 tid=71\n"
               " thread-life block=3 tid=72 name=\"io\"\n"),
      Options);
  std::map<std::string, uint64_t> Blocks;
  for (const PartResult &Part : P.Parts)
    Blocks[Part.Thread] += Part.Sum.Allocations;
  EXPECT_EQ(Blocks, (std::map<std::string, uint64_t>{
                        {"tid 70", 1}, {"tid 71", 2}, {"io", 4}}));
}

/// Recorded with objects=lifetime.
TEST(Parts, ObjectsThatLivedSoLong) {
  const trace::Trace T = readText(R"(
header state=complete pid=7 clock=exact ticks-per-second=1000000000
extent meta
  thread index=1 tid=70 name="main"
  type index=1 id=0x11 size=16 name="Foo"
  site id=1 type=1 kind=object cookie=18 function="_Z4makei" file="a.cpp" line=3
extent rows owner=1
  row site=1 type=1 allocations=9 bytes=144 frees=7 freed-bytes=112 timed=7 weighted-timed=7 sum=2050 min=10 max=1000
    octave 1 2=5/80
    octave 7 7=2/32
)");
  ProfileOptions Options;
  Options.Lived = {100, 10000};
  const Profile P = profileOf(T, Options);
  ASSERT_EQ(P.Types.size(), 1u);
  const ObjectCounts &O = *P.Types[0].Objects;
  EXPECT_EQ(O.constructed(), 2u);
  EXPECT_EQ(O.Destroyed, 2u);
  EXPECT_EQ(O.Life.Count, 2u);
  EXPECT_EQ(O.alive(), 0u);
  ASSERT_EQ(O.Sites.size(), 1u);
  EXPECT_EQ(O.Sites[0].Where.Line, 3u);
}

/// Blocks of a site hold objects that another site made in them.
TEST(Objects, AreHeldByTheSiteOfTheirBlocks) {
  const Profile P = profileOf(
      readText("header state=complete pid=7\nextent meta\n"
               " type index=1 id=1 size=16 name=\"Foo\"\n"
               " type index=2 id=2 size=1 name=\"Other\"\n"
               " site id=3 type=1 kind=object key=3 function=\"f\" line=3\n"
               " site id=5 type=2 kind=new key=5 function=\"g\" line=5\n"
               " site id=6 type=2 kind=new key=6 function=\"h\" line=6\n"
               " site id=7 kind=held key=3 line=6\n"
               "extent rows owner=1\n"
               " row site=3 type=1 allocations=4 bytes=64\n"
               " row site=5 type=2 allocations=2 bytes=200\n"
               " row site=6 type=2 allocations=1 bytes=64\n"
               " row site=7 allocations=4 bytes=64\n"),
      {});
  ASSERT_EQ(P.Sites.size(), 2u);
  for (const SiteResult &S : P.Sites)
    EXPECT_EQ(S.PlacedObjects,
              S.Where.Line == 6 ? (std::map<std::string, uint64_t>{{"Foo", 4}})
                                : (std::map<std::string, uint64_t>{}))
        << S.Where.Line;
}

TEST(Phases, ASnapshotsNameBeginsNoPhase) {
  const Profile P = phase("steady#1");
  addsUp(P);
  EXPECT_EQ(typeOf(P, "Bar")->Sum.Allocations, 4u);
  EXPECT_EQ(typeOf(P, "Foo")->Sum.Frees, 15u);
}

TEST(Phases, BetweenTwoMarks) {
  const Profile P = phase("warmup..probe");
  addsUp(P);
  EXPECT_EQ(P.Totals.Allocations, 24u);
  EXPECT_EQ(P.Totals.Frees, 9u);
  EXPECT_EQ(phase("..warmup").Totals.Allocations, 10u);
  EXPECT_EQ(phase("probe..").Totals.Allocations, 5u);
  EXPECT_EQ(phase("probe..steady").Totals.Frees, 11u) << "the first after it";
  EXPECT_EQ(phase("steady#2").Totals.Allocations, 5u);
  EXPECT_EQ(phase("steady#1..steady#2").Totals.Frees, 15u);
}

TEST(Phases, WhatIsUnknownNamesWhatIsThere) {
  EXPECT_EQ(error("nix"), "test.inmem: --phase: no phase or snapshot 'nix'; "
                          "there are 'warmup', 'steady', 'probe', 'steady'");
  EXPECT_EQ(error("probe..warmup"),
            "test.inmem: --phase: no phase or snapshot 'warmup' after 'probe'; "
            "there are 'warmup', 'steady', 'probe', 'steady'");
  EXPECT_EQ(error("steady"), "test.inmem: --phase: 'steady' began 2 times; "
                             "choose 'steady#1' to 'steady#2'");
  EXPECT_NE(error("steady#3"), "");
}

TEST(Phases, ATableOfAllAddsUpToTheRun) {
  const std::vector Traces = {readText(kPhases)};
  Profile P = profileOf(Traces[0], {});
  auto All = phasesOf(Traces, {}, 100);
  ASSERT_TRUE(All);
  P.Phases = *All;
  ASSERT_EQ(P.Phases.size(), 4u);
  EXPECT_EQ(P.Phases[0].Name, "");
  EXPECT_EQ(P.Phases[1].BeginNs, 1000u);
  EXPECT_EQ(P.Phases[1].DurationNs, 2000u);
  EXPECT_EQ(P.Phases[3].DurationNs, 2000u);
  Counts Sum;
  for (const PhaseResult &One : P.Phases)
    Sum.add(One.Sum);
  EXPECT_EQ(Sum.Allocations, P.Totals.Allocations);
  EXPECT_EQ(Sum.FreedBytes, P.Totals.FreedBytes);
  for (size_t I = 1; I < P.Phases.size(); ++I)
    EXPECT_EQ(P.Phases[I].Sum.CarriedBytes, P.Phases[I - 1].Sum.LiveBytes);
  View V;
  V.Tables = {By::Phase};
  const auto Json = nlohmann::json::parse(printJson(P, V));
  EXPECT_EQ(Json["phases"].size(), 4u);
  EXPECT_EQ(Json["phases"][1]["name"], "warmup");
  EXPECT_EQ(Json["phases"][2]["types"].size(), 2u);
  EXPECT_NE(
      printCsv(P, V).find("7,steady,3000,3000,Bar,4,32,0,0,4,32,0,0,,,\r\n"),
      std::string::npos)
      << printCsv(P, V);
  const std::string Text = printText(P, V, {});
  EXPECT_NE(Text.find("PHASES"), std::string::npos);
  EXPECT_NE(Text.find("(before)"), std::string::npos);
}

TEST(Phases, TheTextFormKeepsWhatANameIsOf) {
  const trace::Trace T = readText(kPhases);
  ASSERT_EQ(T.Phases.size(), 4u);
  EXPECT_FALSE(T.Phases[1].OnlyName);
  EXPECT_TRUE(T.Phases[2].OnlyName);
}

TEST(Threads, OnlyTheRowsOfThoseThatMatch) {
  for (const char *Glob : {"worker*", "71", "2"}) {
    ProfileOptions Options;
    Options.ThreadGlobs = {Glob};
    const Profile P = profileOf(readText(kPhases), Options);
    addsUp(P);
    EXPECT_EQ(typeOf(P, "Bar")->Sum.Allocations, 4u);
    EXPECT_EQ(typeOf(P, "Bar")->Sum.LiveAllocations, 2u);
    // Freed here, allocated elsewhere.
    EXPECT_EQ(typeOf(P, "Foo")->Sum.Allocations, 0u);
    EXPECT_EQ(typeOf(P, "Foo")->Sum.Frees, 10u);
    EXPECT_EQ(typeOf(P, "Foo")->Life.Lifetimes.count(), 10u);
    EXPECT_EQ(P.Totals.Allocations, 39u) << "totals stay the process's";
    ASSERT_EQ(P.Threads.size(), 1u);
    EXPECT_EQ(P.Threads[0].Name, "worker-a");
  }
}

TEST(Threads, OfEachProcess) {
  const std::vector<trace::Trace> Both{readText(kPhases), readText(kPhases)};
  ProfileOptions Options;
  Options.ThreadGlobs = {"worker*"};
  const auto OfThreads = buildProfile(Both, Options);
  ASSERT_TRUE(OfThreads);
  EXPECT_EQ(typeOf(*OfThreads, "Bar")->Sum.Allocations, 8u);
  ProfileOptions InPhase;
  InPhase.Phase = "warmup";
  const auto OfPhase = buildProfile(Both, InPhase);
  ASSERT_TRUE(OfPhase);
  EXPECT_EQ(typeOf(*OfPhase, "Foo")->Sum.Allocations, 40u);
}

TEST(Lived, OnlyLivesOfTheRange) {
  const auto Lived = [](uint64_t From, uint64_t To) {
    ProfileOptions Options;
    Options.Lived = {From, To};
    const Profile P = profileOf(readText(kPhases), Options);
    addsUp(P);
    return P;
  };
  const Profile Short = Lived(0, 100);
  ASSERT_EQ(Short.Types.size(), 1u);
  EXPECT_EQ(Short.Types[0].Name, "Foo");
  EXPECT_EQ(Short.Types[0].Sum.Allocations, 20u);
  EXPECT_EQ(Short.Types[0].Sum.AllocatedBytes, 320u);
  EXPECT_EQ(Short.Types[0].Sum.LiveBytes, 0u);
  const Profile Long = Lived(500, ~uint64_t{0});
  ASSERT_EQ(Long.Types.size(), 1u);
  EXPECT_EQ(Long.Types[0].Name, "Bar");
  EXPECT_EQ(Long.Types[0].Sum.Frees, 2u);
  EXPECT_TRUE(Lived(100, 500).Types.empty());
  const auto Json = nlohmann::json::parse(printJson(Long, {}));
  EXPECT_TRUE(Json["types"][0]["temporary_allocations"].is_null());
}

namespace {

/// Foo leaks 4 KiB each of 40 s; Bar fills and empties; Old is there from the
/// start.
std::string timeline(const char *State) {
  std::string Text =
      std::string("header state=") + State +
      R"( pid=7 clock=exact ticks-per-second=1000000000 start-unix-ns=1 end-unix-ns=41000000001
extent meta
  type index=1 id=0x11 size=16 align=8 name="Foo"
  type index=2 id=0x12 size=8 align=8 name="Bar"
  type index=3 id=0x13 size=8 align=8 name="Old"
  site id=1 type=1 key=1 kind=new function="_Z1av" file="a.cpp" line=1
  site id=2 type=2 key=2 kind=new function="_Z1bv" file="a.cpp" line=2
  site id=3 type=3 key=3 kind=new function="_Z1cv" file="a.cpp" line=3
)";
  const auto Rows = [](uint64_t Second) {
    const uint64_t Foo = Second * 256, Rounds = Second / 7, Bar = Second % 7;
    return "  row site=1 type=1 allocations=" + std::to_string(Foo) +
           " bytes=" + std::to_string(Foo * 16) + "\n  row site=2 type=2 " +
           "allocations=" + std::to_string((Rounds * 7 + Bar) * 1000) +
           " bytes=" + std::to_string((Rounds * 7 + Bar) * 8000) +
           " frees=" + std::to_string(Rounds * 7000) +
           " freed-bytes=" + std::to_string(Rounds * 56000) +
           "\n  row site=3 type=3 allocations=10 bytes=80\n";
  };
  for (uint64_t Second = 1; Second <= 40; ++Second)
    Text += "extent snapshot kind=periodic unix-ns=" +
            std::to_string(Second * 1000000000 + 1) + "\n" + Rows(Second);
  return Text + "extent rows owner=1\n" + Rows(41);
}

} // namespace

TEST(Timeline, FindsWhatGrowsAndOnlyThat) {
  const Profile P = profileOf(readText(timeline("running")), {});
  ASSERT_EQ(P.Timeline.size(), 42u);
  EXPECT_EQ(P.Timeline.front().Kind, "start");
  EXPECT_EQ(P.Timeline[1].Ns, 1000000000u);
  EXPECT_EQ(P.Timeline.back().Kind, "end");
  const std::vector<TypeGrowth> All = growthOfTypes(P);
  ASSERT_EQ(All.size(), 3u);
  for (const TypeGrowth &G : All) {
    const TypeResult &Type = P.Types[G.Type];
    EXPECT_EQ(G.Of.Unbounded, Type.Name == "Foo") << *Type.Name;
    EXPECT_EQ(G.LiveBytes.size(), P.Timeline.size());
    EXPECT_EQ(G.LiveBytes.back(), Type.Sum.LiveBytes);
  }
  EXPECT_EQ(P.Types[All[0].Type].Name, "Foo") << "findings first";
  EXPECT_EQ(All[0].LiveBytes[5], 5u * 4096);
  EXPECT_NEAR(All[0].Of.Rise->Middle, 4096, 0.01);

  const auto Json = nlohmann::json::parse(printJson(P, {}));
  std::vector<std::string> Growing;
  for (const auto &Finding : Json["findings"])
    if (Finding["rule"] == "unbounded-growth")
      Growing.push_back(Finding["type"]);
  EXPECT_EQ(Growing, std::vector<std::string>{"Foo"});
  EXPECT_EQ(Json["timeline"]["points"].size(), 42u);
  EXPECT_EQ(Json["timeline"]["types"][0]["live_bytes"][5], 5 * 4096);

  const std::string Text = printText(P, {}, {});
  EXPECT_NE(Text.find("Foo grows without bound: +4.0 KiB/s"), std::string::npos)
      << Text;
  EXPECT_NE(Text.find('\n', Text.find("OVER TIME")), std::string::npos);
  View V;
  V.Tables = {By::Time};
  EXPECT_NE(printCsv(P, V).find("Foo,5000000000,periodic,,20480\r\n"),
            std::string::npos);
}

TEST(Phases, ARunWithoutAnEndLastsToItsLastTick) {
  const auto Lasts = [](const std::string &Header) {
    return durationOf(readText("header state=running " + Header + "\n").Header);
  };
  const std::string Ticks =
      "start-ticks=1000 last-ticks=3500 ticks-per-second=";
  EXPECT_EQ(Lasts(Ticks + "1000"), 2'500'000'000u);
  EXPECT_EQ(Lasts(Ticks + "3000000000"), 833u);
  EXPECT_EQ(Lasts(Ticks + "1000 start-unix-ns=5 end-unix-ns=9"), 4u);
  EXPECT_EQ(Lasts("start-ticks=9 last-ticks=9 ticks-per-second=1"), 0u);
}

TEST(Timeline, AnEndThatTakesNoTimeIsNoPoint) {
  const auto Points = [](const char *End) {
    return profileOf(
               readText("header state=complete start-unix-ns=100 end-unix-ns=" +
                        std::string(End) +
                        "\nextent snapshot kind=periodic unix-ns=500\n"),
               {})
        .Timeline.size();
  };
  EXPECT_EQ(Points("500"), 2u); // start, 500
  EXPECT_EQ(Points("501"), 3u);
}

TEST(Timeline, WithoutSnapshotsThereIsNone) {
  const auto P = profileOf(
      readText("header state=complete pid=1\nextent rows owner=1\n"), {});
  EXPECT_TRUE(P.Timeline.empty());
  const auto Json = nlohmann::json::parse(printJson(P, {}));
  EXPECT_FALSE(Json.contains("timeline"));
  EXPECT_TRUE(Json["findings"].empty());
}
