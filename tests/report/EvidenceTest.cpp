//===- EvidenceTest.cpp - The list that check prints below a limit --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

#include "report/compare/CheckReport.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

using namespace inmem;
using namespace inmem::report;
using inmem::test::readText;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

/// A budget and what check() makes of one trace.
struct Checked {
  Checked(const char *Limits, const std::string &Trace)
      : With(*parseBudget(Limits, "/home/me/p/b.toml")) {
    const std::vector Traces{readText(Trace)};
    auto P = buildProfile(Traces, {});
    EXPECT_TRUE(P) << P.status().str();
    Run = {"a.inmem", *P, {}};
    Result = check(With, std::span(&Run, 1));
  }
  Checked(const Checked &) = delete;

  const Verdict &only() const {
    EXPECT_EQ(Result.limits(), 1u);
    return Result.Runs[0].All[0];
  }
  /// `figure function:line`, as listed.
  std::vector<std::string> lines() const {
    std::vector<std::string> Out;
    for (const Contributor &C : only().From)
      Out.push_back(std::to_string(C.Value) + ' ' + C.Where.Function + ':' +
                    std::to_string(C.Where.Line));
    return Out;
  }

  Budget With;
  RunProfile Run;
  CheckResult Result;
};

constexpr char kNoneAlive[] = "[types.Foo]\nalive = 0\n";

/// 500 objects of Foo by many(), 4 by few(), all but three destroyed.
std::string foos(const std::string &Meta, const std::string &Extents,
                 int Few = 4, int Destroyed = 501) {
  return R"(header state=complete pid=7 live-bytes=48
extent meta
  module id=1 base=0x1000 path="/bin/app"
  thread index=1 tid=70 name="main"
  type index=1 id=0x11 size=24 align=8 flags=class name="Foo"
  object module=1 cell=0 type=1 event=constructed storage=heap manner=default class="Foo" function="many" file="a.cpp" line=3
  object module=1 cell=1 type=1 event=constructed storage=heap manner=copy class="Foo" function="few" file="a.cpp" line=9
  object module=1 cell=2 type=1 event=destroyed class="Foo"
)" + Meta +
         "extent counters owner=1 module=1\n  counts 500 " +
         std::to_string(Few) + ' ' + std::to_string(Destroyed) + '\n' + Extents;
}

TEST(EvidenceOfAlive, FollowedObjectsAreListedByWhatIsAlive) {
  const Checked C(kNoneAlive, foos(R"(
  site id=1 type=1 kind=object cookie=17 function="many" file="a.cpp" line=3
  site id=2 type=1 kind=object cookie=33 function="few" file="a.cpp" line=9
)",
                                   R"(
extent rows owner=1
  row site=1 type=1 allocations=500 bytes=12000 frees=499 freed-bytes=11976
  row site=2 type=1 allocations=4 bytes=96 frees=2 freed-bytes=48
)"));
  EXPECT_EQ(C.only().Value, 3u);
  EXPECT_EQ(C.only().Figure, "alive");
  EXPECT_THAT(C.lines(), ElementsAre("2 few:9", "1 many:3"));
}

TEST(EvidenceOfAlive, WithoutThatTheBlocksThatAreLeftSayWhoseTheyAre) {
  const Checked C(kNoneAlive, foos(R"(
  site id=1 type=1 kind=new function="many" file="a.cpp" line=3
  site id=2 type=1 kind=new function="few" file="a.cpp" line=8
)",
                                   R"(
extent rows owner=1
  row site=1 type=1 allocations=500 bytes=12000 frees=500 freed-bytes=12000
  row site=2 type=1 allocations=4 bytes=96 frees=2 freed-bytes=48
)"));
  EXPECT_EQ(C.only().Value, 3u);
  EXPECT_THAT(
      C.lines(),
      ElementsAre("2 few:8", "1 (not known: objects=lifetime records it):0"));
}

TEST(EvidenceOfAlive, AnArrayHoldsAsManyObjectsAsItsBytesAndNoneIsInvented) {
  const auto Left = [](int Bytes) {
    const Checked C(kNoneAlive,
                    foos("  site id=1 type=1 kind=new[] function=\"few\" "
                         "file=\"a.cpp\" line=8\n",
                         "extent rows owner=1\n  row site=1 type=1 "
                         "allocations=1 bytes=" +
                             std::to_string(Bytes) + '\n'));
    return C.lines();
  };
  EXPECT_THAT(Left(72), ElementsAre("3 few:8"));
  EXPECT_THAT(Left(2400), ElementsAre("3 few:8")); // 97 were destroyed early
}

TEST(EvidenceOfAlive, OnePlaceThatMadeAllMadeThoseThatAreLeft) {
  const Checked C(kNoneAlive, foos("", "", 0, 498));
  EXPECT_THAT(C.lines(), ElementsAre("2 many:3"));
}

TEST(EvidenceOfAlive, OfTheTotalsNamesNoClassThatIsGone) {
  const Checked C("[totals]\nalive = 0\n", foos(R"(
  type index=2 id=0x12 size=8 flags=class name="Gone"
  object module=1 cell=3 type=2 event=constructed storage=heap manner=default class="Gone" function="loop" file="a.cpp" line=5
  object module=1 cell=4 type=2 event=destroyed class="Gone"
)",
                                                "", 0, 498));
  ASSERT_EQ(C.only().From.size(), 1u);
  EXPECT_EQ(C.only().From[0].Type, "Foo");
  EXPECT_EQ(C.only().Value, 2u);
}

/// f() allocated 1600 bytes of Foo, g() 400 of Bar, in that order.
std::string twoSites(const std::string &Extents) {
  return R"(header state=complete pid=7 peak-live-bytes=416
extent meta
  thread index=1 tid=70 name="main"
  type index=1 id=0x11 size=16 align=8 name="Foo"
  type index=2 id=0x12 size=8 align=8 name="Bar"
  site id=1 type=1 key=0x1 kind=new function="f" file="a.cpp" line=1
  site id=2 type=2 key=0x2 kind=new function="g" file="a.cpp" line=2
extent rows owner=1
  row site=1 type=1 allocations=100 bytes=1600 frees=100 freed-bytes=1600
  row site=2 type=2 allocations=50 bytes=400 frees=50 freed-bytes=400
)" + Extents;
}

TEST(EvidenceOfPeakBytes, IsWhatWasAliveAtThePeak) {
  const Checked C("[totals]\npeak_bytes = 9\n",
                  twoSites("extent peak-rows sequence=1\n"
                           "  near-peak order=1 bytes=416\n"
                           "  near-peak site=1 allocations=1 bytes=16\n"
                           "  near-peak site=2 allocations=50 bytes=400\n"));
  EXPECT_EQ(C.only().Value, 416u);
  EXPECT_EQ(C.only().Figure, "at the peak");
  EXPECT_THAT(C.lines(), ElementsAre("400 g:2", "16 f:1"));
}

TEST(EvidenceOfPeakBytes, IsCalledAllocatedIfTheTraceHasNoMore) {
  const Checked C("[totals]\npeak_bytes = 9\n", twoSites(""));
  EXPECT_EQ(C.only().Figure, "allocated");
  EXPECT_THAT(C.lines(), ElementsAre("1600 f:1", "400 g:2"));
}

TEST(CausesOfBrokenLimits, AreOrderedByExcessWithOneRowEach) {
  const Checked C("[totals]\nblocks = 140\nbytes = 1000\n[sites.g]\n"
                  "blocks = 10\n[sites.f]\ntemporary_blocks = { min = 1 }\n",
                  twoSites(""));
  const std::vector<Cause> Causes = causesOf(C.Result.Runs[0]);
  std::vector<std::string> Rows;
  for (const Cause &Of : Causes) {
    std::string Row = Of.From ? Of.From->Where.Function : "?";
    for (const Verdict *V : Of.Broken)
      Row += fmt::format(", {} {}", V->Of->words(), excessOf(*V, true));
    Rows.push_back(Row);
  }
  EXPECT_THAT(Rows, ElementsAre("g, blocks at g +400 %",
                                "f, bytes in all +100 %, blocks in all +7.1 %",
                                "?, temporary blocks at f -100 %"));
}

TEST(CausesOfBrokenLimits, AreWordsThatPeopleRead) {
  const Budget B = *parseBudget(
      "[types.'std::_Rb_tree_node<std::pair<const int, Foo> >']\nblocks = 1\n"
      "[types.'Foo \\*']\nlive_bytes = 1\n"
      "[phases.load.sites.'*/a.cpp']\nlive_blocks = 1\n",
      "b.toml");
  std::vector<std::string> Words;
  for (const Limit &L : B.Limits)
    Words.push_back(L.words());
  EXPECT_THAT(Words, ElementsAre("blocks of std::map<int, Foo> node",
                                 "live bytes of Foo *",
                                 "live blocks at */a.cpp in phase load"));
}

/// The messages that a reader sees of a run's broken limits.
std::string junitMessage(const CheckResult &R, const char *Root) {
  pugi::xml_document Xml;
  EXPECT_TRUE(Xml.load_string(printJUnit(R, Root).c_str()));
  return Xml.select_node("//failure/@message").attribute().value();
}
std::string sarifMessage(const CheckResult &R, const char *Root) {
  const auto J = nlohmann::json::parse(printSarif(R, Root));
  return J["runs"][0]["results"][0]["message"]["text"];
}
std::string githubMessage(const CheckResult &R, const char *Root) {
  const std::string Line = printGithub(R, Root);
  return Line.substr(Line.find("::", 2) + 2);
}

class Messages : public testing::TestWithParam<std::string (*)(
                     const CheckResult &, const char *)> {
protected:
  Messages() : Of("[totals]\nblocks = 1\n", twoSites("")) {}
  std::string message(const char *Root = "/home/me/p") const {
    return GetParam()(Of.Result, Root);
  }
  std::string &file(size_t I) {
    return Of.Result.Runs[0].All[0].From[I].Where.File;
  }
  Checked Of;
};

TEST_P(Messages, NameTheFirstPlaceInsideTheSourceRoot) {
  EXPECT_THAT(message(), HasSubstr("(149 more); 100 by f  a.cpp:1"));
  file(0) = "/usr/include/c++/12/bits/vector.tcc";
  EXPECT_THAT(message(), HasSubstr("(149 more); 50 by g  a.cpp:2"));
  file(0) = "/srv/other/f.cpp";
  EXPECT_THAT(message(), HasSubstr("(149 more); 50 by g  a.cpp:2"));
  file(0) = "../f.cpp";
  EXPECT_THAT(message(), HasSubstr("(149 more); 50 by g  a.cpp:2"));
}

TEST_P(Messages, NameAFileFromTheSourceRoot) {
  file(0) = "/home/me/p/src/f.cpp";
  EXPECT_THAT(message(), HasSubstr("; 100 by f  src/f.cpp:1"));
  EXPECT_THAT(message("/home/me/"), HasSubstr("; 100 by f  p/src/f.cpp:1"));
}

TEST_P(Messages, NameTheFunctionAloneIfAllAreOutside) {
  file(0) = "/usr/include/c++/12/bits/vector.tcc";
  file(1) = "/elsewhere/g.cpp";
  EXPECT_THAT(message(), HasSubstr("found 150, allowed at most 1 (149 more)"));
  EXPECT_THAT(message(), HasSubstr("; 100 by f"));
  EXPECT_THAT(message(), Not(HasSubstr("vector.tcc")));
  EXPECT_THAT(message(), Not(HasSubstr("/elsewhere")));
  EXPECT_THAT(message(), Not(HasSubstr(":1")));
}

TEST_P(Messages, NameAFunctionWithoutFileIfNoPlaceIsInside) {
  file(0) = "";
  EXPECT_THAT(message(), HasSubstr("; 50 by g  a.cpp:2"));
  file(1) = "/elsewhere/g.cpp";
  EXPECT_THAT(message(), HasSubstr("; 100 by f"));
  EXPECT_THAT(message(), Not(HasSubstr("/elsewhere")));
}

const std::string kFormats[] = {"JUnit", "Sarif", "Github"};
INSTANTIATE_TEST_SUITE_P(Formats, Messages,
                         testing::Values(junitMessage, sarifMessage,
                                         githubMessage),
                         [](const auto &Of) { return kFormats[Of.index]; });

} // namespace
