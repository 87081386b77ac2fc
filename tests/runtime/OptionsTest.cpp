//===- OptionsTest.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// INMEM_OPTIONS: every documented key, its default, and what bad input
// says.
#include "options/Options.h"
#include "options/EditDistance.h"

#include <csignal>
#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace inmem::rt;

namespace {

std::vector<std::string> Complaints;

Options parse(const char *Spec) {
  Complaints.clear();
  Options O;
  parseOptions(Spec, O, [](const char *Line) { Complaints.push_back(Line); });
  return O;
}

TEST(Options, NothingGivenLeavesTheDefaultsOfTheContract) {
  for (const char *Spec : {static_cast<const char *>(nullptr), ""}) {
    Options O = parse(Spec);
    EXPECT_STREQ(O.Output.Value, "inmem.%p.inmem");
    EXPECT_EQ(O.Mode.Index, Options::ModeSummary);
    EXPECT_EQ(O.Clock.Index, Options::ClockAuto);
    EXPECT_EQ(O.Every, 1u);
    EXPECT_EQ(O.SampleBytes, 0u);
    EXPECT_EQ(O.MinSize, 0u);
    EXPECT_EQ(O.MaxSize, 0u);
    EXPECT_EQ(O.SizeRange, UINT64_MAX);
    EXPECT_EQ(O.Children.Index, Options::ChildrenOn);
    EXPECT_EQ(O.Root, 0u);
    EXPECT_EQ(O.Start.Index, Options::StartOn);
    EXPECT_EQ(O.PeriodicSeconds, 0);
    EXPECT_STREQ(O.Report.Value, "");
    EXPECT_TRUE(Complaints.empty());
  }
}

TEST(Options, EveryKeyIsUnderstood) {
  Options O = parse("output=/tmp/a b.%p:mode=trace:clock=events:every=7:"
                    "sample_bytes=524288:min_size=33:include=Foo*,Bar:"
                    "exclude=std::*:start=off:periodic=5,3:report=stderr");
  EXPECT_TRUE(Complaints.empty()) << Complaints.front();
  EXPECT_STREQ(O.Output.Value, "/tmp/a b.%p");
  EXPECT_EQ(O.Mode.Index, Options::ModeTrace);
  EXPECT_EQ(O.Clock.Index, Options::ClockEvents);
  EXPECT_EQ(O.Every, 7u);
  EXPECT_EQ(O.SampleBytes, 524288u);
  EXPECT_EQ(O.MinSize, 33u);
  EXPECT_STREQ(O.Include.Value, "Foo*,Bar");
  EXPECT_STREQ(O.Exclude.Value, "std::*") << "a value may hold colons";
  EXPECT_EQ(O.Start.Index, Options::StartOff);
  EXPECT_EQ(O.PeriodicSeconds, 5);
  EXPECT_EQ(O.PeriodicResets, 3);
  EXPECT_STREQ(O.Report.Value, "stderr");
}

TEST(Options, SizesHaveALeastAndAMost) {
  const Options O = parse("min_size=33:max_size=64");
  EXPECT_EQ(O.MaxSize, 64u);
  EXPECT_EQ(O.SizeRange, 31u);
  EXPECT_EQ(parse("max_size=64:min_size=64").SizeRange, 0u);
  EXPECT_TRUE(Complaints.empty());
  EXPECT_EQ(parse("min_size=65:max_size=64").MaxSize, 0u);
  ASSERT_EQ(Complaints.size(), 1u);
  EXPECT_NE(Complaints[0].find("max_size"), std::string::npos);
}

TEST(Options, APairIsFoundWhole) {
  const char *Spec = "output=children=off:mode=off:children=off:every=2";
  EXPECT_EQ(findPair(Spec, "children=off"), Spec + 29);
  EXPECT_EQ(findPair("children=office", "children=off"), nullptr);
  EXPECT_EQ(findPair(nullptr, "children=off"), nullptr);
}

TEST(Options, LabelsAreKeysAndValues) {
  EXPECT_STREQ(parse("labels=service=web,build=13:mode=off").Labels.Value,
               "service=web,build=13");
  EXPECT_STREQ(parse("labels=url=http://a:80/,empty=").Labels.Value,
               "url=http://a:80/,empty=");
  EXPECT_TRUE(Complaints.empty());
  for (const char *Bad : {"labels=web", "labels==web", "labels=a=b,",
                          "labels=a=b,,c=d", "labels=a=b,c"}) {
    EXPECT_STREQ(parse(Bad).Labels.Value, "") << Bad;
    ASSERT_EQ(Complaints.size(), 1u) << Bad;
    EXPECT_NE(Complaints[0].find("labels"), std::string::npos);
  }
}

TEST(Options, PeriodicTakesFractionsAndForever) {
  EXPECT_EQ(parse("watch=500ms,1MiB,7").WatchNs, 500000000u);
  EXPECT_EQ(parse("watch=2min,1MiB,7").WatchNs, 120000000000u);
  EXPECT_EQ(parse("watch=500ms,1MiB,7").WatchBytes, 1u << 20);
  EXPECT_EQ(parse("watch=500ms,1MiB,7").WatchBlocks, 7u);
  EXPECT_EQ(parse("watch=1s").WatchBytes, 0u);
  EXPECT_DOUBLE_EQ(parse("periodic=0.25").PeriodicSeconds, 0.25);
  EXPECT_EQ(parse("periodic=5,-1").PeriodicResets, -1);
  parse("periodic=5,-2");
  ASSERT_EQ(Complaints.size(), 1u);
  EXPECT_NE(Complaints[0].find("periodic"), std::string::npos);
}

TEST(Options, APeriodOfVeryManyDigitsIsNoNumber) {
  const std::string Nines(310, '9');
  for (const std::string &Bad : {"periodic=0." + Nines, "periodic=" + Nines}) {
    Options O = parse(Bad.c_str());
    ASSERT_EQ(Complaints.size(), 1u) << Bad;
    EXPECT_EQ(O.PeriodicSeconds, 0) << Bad;
  }
}

TEST(Options, SignalsAreNamesAndActions) {
  Options O = parse("signals=USR1:snapshot,RTMIN+2:reset:every=3");
  EXPECT_TRUE(Complaints.empty());
  ASSERT_EQ(O.SignalCount, 2u);
  EXPECT_EQ(O.SignalCommands[0].Signal, SIGUSR1);
  EXPECT_EQ(O.SignalCommands[0].Action, SignalAction::Snapshot);
  EXPECT_STREQ(O.SignalCommands[0].Name, "USR1");
  EXPECT_EQ(O.SignalCommands[1].Signal, SIGRTMIN + 2);
  EXPECT_EQ(O.SignalCommands[1].Action, SignalAction::Reset);
  EXPECT_EQ(O.Every, 3u);
  for (const char *Bad :
       {"signals=USR1", "signals=KILL:stop", "signals=USR1:jump",
        "signals=RTMIN+99:stop", "signals=:stop", "signals=RTMIN+:stop"}) {
    O = parse(Bad);
    ASSERT_EQ(Complaints.size(), 1u) << Bad;
    EXPECT_EQ(O.SignalCount, 0u) << Bad;
  }
}

TEST(Options, AnUnknownKeyNamesItselfAndTheValidOnes) {
  parse("colour=red");
  ASSERT_EQ(Complaints.size(), 1u);
  EXPECT_NE(Complaints[0].find("'colour'"), std::string::npos);
  EXPECT_NE(Complaints[0].find("sample_bytes"), std::string::npos);
  EXPECT_EQ(Complaints[0].find("did you mean"), std::string::npos);
}

TEST(Options, AMisspeltKeyNamesTheOneThatWasMeant) {
  const std::pair<const char *, const char *> kSlips[] = {
      {"stack=16", "stacks"},
      {"ouptut=x", "output"},
      {"samplebytes=5", "sample_bytes"},
      {"mod=trace", "mode"},
      {"quite=1", "quiet"},
      {"perodic", "periodic"}};
  for (const auto &[Typed, Meant] : kSlips) {
    parse(Typed);
    ASSERT_EQ(Complaints.size(), 1u) << Typed;
    EXPECT_NE(Complaints[0].find(std::string("; did you mean '") + Meant +
                                 "'?; the options are"),
              std::string::npos)
        << Complaints[0];
  }
  for (const char *Other :
       {"x=1", "q=1", "averyveryverylongnameofnooption=1", "=5"}) {
    parse(Other);
    ASSERT_EQ(Complaints.size(), 1u) << Other;
    EXPECT_EQ(Complaints[0].find("did you mean"), std::string::npos)
        << Complaints[0];
  }
}

TEST(Options, ABadValueKeepsTheDefaultOfThatKeyOnly) {
  for (const char *Bad : {"mode=fast",
                          "mode=",
                          "every=0",
                          "every=x",
                          "every=-1",
                          "clock=wall",
                          "min_size=99999999999999999999999",
                          "start=maybe",
                          "output=",
                          "watch=500",
                          "watch=1us,1MiB",
                          "watch=5s,many",
                          "watch=1s,1MiB,2,3",
                          "watch_output=",
                          "periodic=soon",
                          "periodic=0.0000000001",
                          "periodic=0.0009",
                          "periodic=1000000001",
                          "stacks=129",
                          "profile_depth=0",
                          "profile_depth=129"}) {
    Options O = parse((std::string("sample_bytes=5:") + Bad).c_str());
    ASSERT_EQ(Complaints.size(), 1u) << Bad;
    EXPECT_EQ(O.SampleBytes, 5u) << Bad;
    EXPECT_EQ(O.Every, 1u) << Bad;
    EXPECT_EQ(O.Mode.Index, Options::ModeSummary) << Bad;
    EXPECT_EQ(O.MinSize, 0u) << Bad;
  }
}

TEST(Options, ARejectedValueLeavesNothingBehind) {
  // Neither a part of itself nor what an earlier one of the same key said.
  for (const char *Bad :
       {"profile=1ns", "profile=5s3", "profile=200ms:profile=1ns",
        "profile_signal=PROF:profile_signal=KILL", "periodic=5,3:periodic=x",
        "watch=5s,1MiB,3:watch=5s,x", "snapshot=exit:snapshot=KILL",
        "signals=USR1:reset:signals=USR1:reset,USR2:jump"}) {
    const Options O = parse(Bad);
    ASSERT_EQ(Complaints.size(), 1u) << Bad;
    EXPECT_EQ(O.ProfileNs, 0u) << Bad;
    EXPECT_EQ(O.ProfileSignalNumber, 0) << Bad;
    EXPECT_EQ(O.PeriodicSeconds, 0) << Bad;
    EXPECT_EQ(O.PeriodicResets, 0) << Bad;
    EXPECT_EQ(O.WatchNs + O.WatchBytes + O.WatchBlocks, 0u) << Bad;
    EXPECT_EQ(O.HeapAt, Options::HeapNever) << Bad;
    EXPECT_EQ(O.SignalCount, 0u) << Bad;
    EXPECT_FALSE(O.NamesCode) << Bad;
  }
}

TEST(Options, AMessageIsCompleteHoweverLongTheValueIs) {
  const std::string Long(100000, 'x');
  parse(("profile_depth=" + Long).c_str());
  ASSERT_EQ(Complaints.size(), 1u);
  EXPECT_NE(Complaints[0].find("'xxxxxxxx"), std::string::npos);
  EXPECT_NE(Complaints[0].find("1 to 128"), std::string::npos);
  EXPECT_NE(Complaints[0].find("using 64"), std::string::npos);
  parse((Long + "=1").c_str());
  ASSERT_EQ(Complaints.size(), 1u);
  EXPECT_NE(Complaints[0].find("sample_bytes"), std::string::npos);
}

TEST(Options, HelpIsFoundOnlyAsAKey) {
  EXPECT_TRUE(wantsHelp("help=1"));
  EXPECT_TRUE(wantsHelp("mode=off:help=1:every=2"));
  EXPECT_FALSE(wantsHelp("output=help=1"));
  EXPECT_FALSE(wantsHelp(nullptr));
}

TEST(Globs, MatchWholeNames) {
  EXPECT_TRUE(matchesAnyGlob("Foo", "Foo"));
  EXPECT_FALSE(matchesAnyGlob("Foo", "Foobar"));
  EXPECT_TRUE(matchesAnyGlob("a,Foo*", "Foobar"));
  EXPECT_TRUE(matchesAnyGlob("*bar", "Foobar"));
  EXPECT_TRUE(matchesAnyGlob("F??bar", "Foobar"));
  EXPECT_TRUE(matchesAnyGlob("*a*b*c*", "xxaxxbxxc"));
  EXPECT_FALSE(matchesAnyGlob("*a*b*c*", "xxaxxcxxb"));
  EXPECT_FALSE(matchesAnyGlob("", "Foo"));
}

TEST(Globs, ACommaWithinTemplateArgumentsIsPartOfTheName) {
  EXPECT_TRUE(matchesAnyGlob("std::pair<int, Foo>", "std::pair<int, Foo>"));
  EXPECT_TRUE(matchesAnyGlob("x,std::map<*, Foo>*", "std::map<int, Foo>::N"));
  EXPECT_FALSE(matchesAnyGlob("std::pair<int, Foo>", "std::pair<int"));
}

TEST(Globs, AreTakenOneByOne) {
  const char *Rest = ",a,,b<c,d>,";
  std::string Taken;
  for (Glob Each; takeGlob(Rest, Each);)
    Taken += std::string(Each.Begin, Each.End) + ';';
  EXPECT_EQ(Taken, "a;b<c,d>;");
}

TEST(EditDistance, OfWordsMeasuresTypos) {
  const auto Of = [](std::string_view A, std::string_view B) {
    return editDistance(A.data(), A.size(), B.data(), B.size());
  };
  EXPECT_EQ(Of("stacks", "stacks"), 0u);
  EXPECT_EQ(Of("stack", "stacks"), 1u);
  EXPECT_EQ(Of("satcks", "stacks"), 1u); // swapped
  EXPECT_EQ(Of("stocks", "stacks"), 1u);
  EXPECT_EQ(Of("", "abc"), 3u);
  EXPECT_EQ(Of(std::string(25, 'a'), "a"), 24u); // too long
  EXPECT_EQ(mostTypos(2), 1u);
  EXPECT_EQ(mostTypos(9), 3u);
}

} // namespace
