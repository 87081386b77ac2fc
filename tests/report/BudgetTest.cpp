//===- BudgetTest.cpp - Budget files and what they allow ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

#include "report/base/Words.h"
#include "report/compare/CheckReport.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

namespace {

RunProfile sampleRun(std::string_view Text = kSample) {
  const std::vector Traces = {readText(Text)};
  return {"test.inmem", *buildProfile(Traces), {}};
}

Budget budget(std::string_view Text) {
  auto B = parseBudget(Text, "b.toml");
  EXPECT_TRUE(B) << B.status().str();
  return B ? *B : Budget{};
}

std::string problem(std::string_view Text) {
  const auto B = parseBudget(Text, "b.toml");
  return B ? "" : B.status().str();
}

/// The verdict on a budget of one limit, and what it was given.
struct Judged {
  Verdict::Kind Is;
  std::optional<uint64_t> Value;
  std::string Reason;
  std::vector<Contributor> From;
  bool Matched;
};
Judged judged(std::string_view Text, const RunProfile &R = sampleRun()) {
  const Budget B = budget(Text);
  const CheckResult Result = check(B, std::span(&R, 1));
  EXPECT_EQ(Result.limits(), 1u);
  const Verdict &V = Result.Runs[0].All[0];
  return {V.Is, V.Value, V.Reason, V.From, V.Matched};
}

TEST(BudgetFile, HoldsEveryFormOfALimit) {
  const Budget B = budget("schema = 'inmem-budget/1'\n"
                          "[totals]\n"
                          "blocks = 10\n"
                          "bytes = '1.5 KiB'\n"
                          "[types.'Foo*']\n"
                          "live_bytes = { max = 7, min = 3 }\n"
                          "lifetime_p99 = '2 ms'\n"
                          "lifetime_p50 = '64 KiB'\n"
                          "[phases.warm.sites.'src/*']\n"
                          "temporary_blocks = 0\n");
  ASSERT_EQ(B.Limits.size(), 6u);
  EXPECT_EQ(B.Limits[0].str(), "totals blocks");
  EXPECT_EQ(B.Limits[0].Max, 10u);
  EXPECT_EQ(B.Limits[0].At.Line, 3u);
  EXPECT_EQ(B.Limits[1].Max, 1536u);
  EXPECT_EQ(B.Limits[2].str(), "types.'Foo*' live_bytes");
  EXPECT_EQ(B.Limits[2].Min, 3u);
  EXPECT_EQ(B.Limits[2].Max, 7u);
  EXPECT_EQ(B.Limits[3].Max, 2000000u);
  EXPECT_EQ(B.Limits[3].LifetimeUnit, Unit::Nanoseconds);
  EXPECT_EQ(B.Limits[4].Max, 65536u);
  EXPECT_EQ(B.Limits[4].LifetimeUnit, Unit::Bytes);
  EXPECT_EQ(B.Limits[5].str(), "phases.warm.sites.'src/*' temporary_blocks");
  EXPECT_EQ(B.phases(), (std::vector<std::string>{"warm"}));
}

TEST(BudgetFile, HasTheWordsOfJsonReports) {
  const std::pair<const char *, const char *> kWords[] = {
      {"peak_live_bytes", "peak_bytes"},
      {"blocks", "allocations"},
      {"bytes", "allocated_bytes"},
      {"live_blocks", "live_allocations"},
      {"temporary_blocks", "temporary_allocations"}};
  for (const auto &[Word, Alias] : kWords)
    for (const std::string Written : {Word, Alias}) {
      const Budget B = budget("[totals]\n" + Written + " = 1\n");
      ASSERT_EQ(B.Limits.size(), 1u);
      EXPECT_EQ(B.Limits[0].str(), std::string("totals ") + Word);
    }
  EXPECT_EQ(problem("[totals]\npeak_bytes = 1\npeak_live_bytes = 2\n"),
            "b.toml:3:1: peak_bytes and peak_live_bytes name the same limit");
  EXPECT_THAT(problem("[totals]\npeak_live_byte = 1\n"),
              HasSubstr("did you mean 'peak_live_bytes'?"));
  EXPECT_THAT(problem("[total]\nblocks = 1\n"),
              HasSubstr("did you mean 'totals'?"));
}

TEST(BudgetFile, ErrorsGiveLineColumnExpectedAndFound) {
  EXPECT_THAT(problem("[totals]\nblok = 3\n"),
              HasSubstr("b.toml:2:1: a limit: expected one of blocks, "));
  EXPECT_THAT(problem("[totals]\nblok = 3\n"), HasSubstr("found \"blok\""));
  EXPECT_THAT(problem("[totals]\nblock = 3\n"),
              HasSubstr("found \"block\"; did you mean 'blocks'?"));
  EXPECT_EQ(problem("[totals]\nblocks = -3\n"),
            "b.toml:2:10: blocks: expected a count such as 100, found the "
            "number -3");
  EXPECT_THAT(problem("[totals]\nbytes = 'many'\n"),
              HasSubstr("b.toml:2:9: bytes: expected a size such as"));
  EXPECT_THAT(problem("[totals]\nlifetime_p99 = 5\n"),
              HasSubstr("b.toml:2:16: lifetime_p99: expected a time"));
  EXPECT_THAT(problem("[totals]\nblocks = { most = 3 }\n"),
              HasSubstr("expected one of max, min, found \"most\""));
  EXPECT_THAT(problem("[totals]\nblocks = {}\n"), HasSubstr("an empty table"));
  EXPECT_THAT(problem("[totals]\nblocks = { min = 3, max = 2 }\n"),
              HasSubstr("found min 3, max 2"));
  EXPECT_THAT(problem("types = 3\n"),
              HasSubstr("b.toml:1:9: types: expected a table, found the "
                        "number 3"));
  EXPECT_THAT(
      problem("[type.Foo]\nblocks = 1\n"),
      HasSubstr("b.toml:1:2: a budget: expected one of schema, totals"));
  EXPECT_THAT(problem("schema = 'inmem-budget/2'\n"),
              HasSubstr("b.toml:1:10: schema: expected \"inmem-budget/1\""));
  EXPECT_THAT(problem("[sites.'f']\npeak_bytes = 1\n"),
              HasSubstr("b.toml:2:1: peak_live_bytes is known of"));
  EXPECT_THAT(problem("[phases.warm]\nblocks = 1\n"),
              HasSubstr("b.toml:2:1: phases.warm: expected one of totals"));
  EXPECT_EQ(problem("[phases.warm.totals]\ncopies = 1\npeak_bytes = 9\n"), "");
  EXPECT_THAT(problem("[baseline.site.x]\nblocks = 1\n"),
              HasSubstr("baseline: expected one of totals, types, sites, found "
                        "\"site\""));
  EXPECT_THAT(problem("[baseline.totals]\nblocks = '5 pct'\n"),
              HasSubstr("b.toml:2:10: blocks: expected how much more"));
}

TEST(BudgetFile, ErrorsOfTheLanguageHaveAPlaceToo) {
  EXPECT_THAT(problem("[totals\n"), HasSubstr("b.toml:1:8: "));
  EXPECT_THAT(problem("a = 1\na = 2\n"), HasSubstr("b.toml:2:"));
  EXPECT_THAT(problem("\xff"), HasSubstr("b.toml:1:1: "));
  const std::string Deep(10000, '[');
  EXPECT_THAT(problem("a = " + Deep), HasSubstr("b.toml:1:"));
}

TEST(BudgetFile, TolerancesAddAPercentageAndAnAmount) {
  EXPECT_EQ(parseTolerance("5 %")->above(200), 210u);
  EXPECT_EQ(parseTolerance("16")->above(200), 216u);
  EXPECT_EQ(parseTolerance("0.5% + 1 KiB")->above(200), 1225u);
  EXPECT_EQ(parseTolerance("100 %")->above(~uint64_t{0}), ~uint64_t{0});
  for (const char *Wrong : {"", "%", "-1 %", "5 % 3", "x", "5 % + ", "nan %"})
    EXPECT_FALSE(parseTolerance(Wrong)) << Wrong;
}

TEST(Check, MeasuresEachMetricOfATypeByHand) {
  // Foo: 12 blocks of 352 bytes, 8 freed; 4 timed lives of 10 to 20, and so on.
  const auto Value = [](const std::string &Metric) {
    return judged("[types.Foo]\n" + Metric + " = 0\n").Value;
  };
  EXPECT_EQ(Value("blocks"), 12u);
  EXPECT_EQ(Value("bytes"), 352u);
  EXPECT_EQ(Value("live_blocks"), 4u);
  EXPECT_EQ(Value("live_bytes"), 160u);
  EXPECT_EQ(Value("peak_bytes"), 250u);
  EXPECT_EQ(Value("temporary_blocks"), 2u);
  EXPECT_EQ(Value("constructed"), 11u); // 6 + 1 and 3 + 1, base left out
  EXPECT_EQ(Value("copies"), 4u);
  EXPECT_EQ(Value("moves"), 0u);
  EXPECT_EQ(judged("[types.Foo]\nlifetime_max = '0 ns'").Value, 20u);
}

TEST(Check, AGlobAddsUpAndASiteIsALocation) {
  EXPECT_EQ(judged("[types.'*Foo*']\nblocks = 0").Value, 12u + 4u);
  EXPECT_EQ(judged("[sites.'src/a.cpp']\nblocks = 0").Value, 10u);
  EXPECT_EQ(judged("[sites.'src/a.cpp:3']\nbytes = 0").Value, 240u);
  EXPECT_EQ(judged("[sites.'src/a.cpp:4']\nbytes = 0").Value, 0u);
  EXPECT_EQ(judged("[sites.'make(int)']\nconstructed = 0").Value, 7u);
  EXPECT_EQ(judged("[types.'(unknown type)']\nblocks = 0").Value, 4u);
}

TEST(Check, LimitsHoldUpToTheirBounds) {
  using K = Verdict::Kind;
  EXPECT_EQ(judged("[types.Foo]\nblocks = 12").Is, K::Held);
  EXPECT_EQ(judged("[types.Foo]\nblocks = 11").Is, K::Above);
  EXPECT_EQ(judged("[types.Foo]\nblocks = { min = 12 }").Is, K::Held);
  EXPECT_EQ(judged("[types.Foo]\nblocks = { min = 13 }").Is, K::Below);
  const Judged Missing = judged("[types.Fooo]\nblocks = 0");
  EXPECT_EQ(Missing.Is, K::Held);
  EXPECT_FALSE(Missing.Matched);
}

TEST(Check, BrokenLimitsNameTheSitesLargestFirst) {
  const Judged J = judged("[types.Foo]\nblocks = 1");
  ASSERT_EQ(J.From.size(), 2u);
  EXPECT_EQ(J.From[0].Value, 10u);
  EXPECT_EQ(J.From[0].Where.File, "src/a.cpp");
  EXPECT_EQ(J.From[0].Where.Line, 3u);
  EXPECT_EQ(J.From[1].Where.File, "src/b.cpp");
}

TEST(Check, WhatWasNotMeasuredIsNotGreen) {
  using K = Verdict::Kind;
  const char *Opaque = "header state=complete pid=1 flags=FLAGS\nextent meta\n"
                       " site id=1 kind=caller function=\"f\"\n"
                       "extent rows owner=1\n"
                       " row site=1 allocations=1 bytes=8 frees=1 "
                       "freed-bytes=8\n";
  std::string Without = Opaque, With = Opaque;
  Without.replace(Without.find(" flags=FLAGS"), 12, "");
  With.replace(With.find("FLAGS"), 5, "instrumented");
  const RunProfile Plain = sampleRun(Without), Built = sampleRun(With);
  EXPECT_EQ(judged("[types.Foo]\nblocks = 0", Plain).Is, K::Unknown);
  EXPECT_THAT(judged("[types.Foo]\nblocks = 0", Plain).Reason,
              HasSubstr("not built with inmem"));
  EXPECT_EQ(judged("[types.Foo]\nblocks = 0", Built).Is, K::Held);
  EXPECT_EQ(judged("[totals]\nblocks = 1", Plain).Is, K::Held);
  EXPECT_EQ(judged("[totals]\npeak_bytes = 100", Plain).Is, K::Unknown);
  EXPECT_EQ(judged("[types.Foo]\ncopies = 0", Built).Is, K::Unknown);
  EXPECT_EQ(judged("[totals]\nlifetime_p99 = '1 s'", Built).Is, K::Unknown);
  EXPECT_THAT(judged("[types.Foo]\nlifetime_p99 = '1 KiB'").Reason,
              HasSubstr("clock=events"));
  EXPECT_EQ(judged("[phases.cold.totals]\nblocks = 9").Is, K::Unknown);
}

TEST(Check, ABaselineAllowsWhatItHadAndTheTolerance) {
  std::string Grown = kSample;
  Grown.replace(Grown.find("allocations=10 bytes=240"), 24,
                "allocations=11 bytes=264");
  const RunProfile Old = sampleRun(), New = sampleRun(Grown);
  const auto Broken = [&](const char *By) {
    const auto Rules = defaultBaseline(*parseTolerance(By));
    std::vector<std::string> Names;
    const Budget None;
    const CheckResult R =
        check(None, std::span(&New, 1), std::span(&Old.Whole, 1), Rules);
    for (const Verdict &V : R.Runs[0].All)
      if (!V.holds())
        Names.push_back(V.Of->str());
    return Names;
  };
  EXPECT_EQ(Broken("0 %"), (std::vector<std::string>{
                               "totals blocks", "totals bytes",
                               "totals live_bytes", "types.Foo blocks",
                               "types.Foo bytes", "types.Foo live_bytes"}));
  EXPECT_EQ(Broken("0 % + 24"), std::vector<std::string>{});
  EXPECT_EQ(Broken("8 %"), (std::vector<std::string>{"types.Foo blocks",
                                                     "types.Foo live_bytes"}));
  const Budget B = budget("[baseline.types.'F*']\nblocks = 0\n");
  const CheckResult R =
      check(B, std::span(&New, 1), std::span(&Old.Whole, 1), B.Baseline);
  ASSERT_EQ(R.limits(), 1u);
  EXPECT_EQ(R.broken(), 1u);
}

TEST(Check, ABaselineOfSitesHoldsForEachFunctionOverMovedLines) {
  std::string Grown = kSample;
  Grown.replace(Grown.find("allocations=10 bytes=240"), 24,
                "allocations=11 bytes=264");
  const size_t At = Grown.find("line=3");
  ASSERT_NE(At, std::string::npos);
  Grown.replace(At, 6, "line=9");
  const RunProfile Old = sampleRun(), New = sampleRun(Grown);
  const auto Broken = [&](const char *Text) {
    const Budget B = budget(Text);
    const CheckResult R =
        check(B, std::span(&New, 1), std::span(&Old.Whole, 1), B.Baseline);
    EXPECT_GT(R.limits(), 0u);
    std::vector<std::string> Out;
    for (const Verdict &V : R.Runs[0].All)
      if (!V.holds())
        Out.push_back(V.Of->str() + ' ' + std::to_string(*V.Of->Max) + ' ' +
                      std::to_string(*V.Value));
    return Out;
  };
  EXPECT_EQ(Broken("[baseline.sites.'*']\nblocks = 0\n"),
            std::vector<std::string>{"sites.'make(int)' blocks 10 11"});
  EXPECT_EQ(Broken("[baseline.sites.'src/a.cpp']\nbytes = '1 % + 8'\n"),
            std::vector<std::string>{"sites.'make(int)' bytes 250 264"});
  EXPECT_EQ(Broken("[baseline.sites.'*']\nblocks = 1\nbytes = 24\n"),
            std::vector<std::string>{});
}

TEST(Learn, TheLearnedBudgetHoldsItsRunsAndNoMore) {
  std::string Grown = kSample;
  Grown.replace(Grown.find("allocations=10 bytes=240"), 24,
                "allocations=12 bytes=288");
  std::vector<RunProfile> Runs;
  Runs.push_back(sampleRun());
  Runs.push_back(sampleRun(Grown));
  const std::string Text = learnBudget(Runs, {});
  EXPECT_THAT(Text,
              HasSubstr("[types.Foo]\nblocks = 16  # 12 to 14 in 2 runs"));
  const Budget B = budget(Text);
  EXPECT_GT(B.Limits.size(), 5u);
  EXPECT_EQ(check(B, Runs).broken(), 0u);
  std::string More = kSample;
  More.replace(More.find("allocations=10 bytes=240"), 24,
               "allocations=15 bytes=360");
  const RunProfile Larger = sampleRun(More);
  EXPECT_GT(check(B, std::span(&Larger, 1)).broken(), 0u);
}

TEST(Learn, LeavesOutWhatTomlCannotExpress) {
  // Its integers end at 2^63 - 1.
  const auto Learned = [](const std::string &Bytes) {
    std::vector<RunProfile> Runs;
    Runs.push_back(sampleRun("header\nextent meta\n site id=1\n"
                             "extent rows owner=1\n row site=1 "
                             "allocations=1 bytes=" +
                             Bytes + "\n"));
    LearnOptions Exact;
    Exact.Slack = {};
    return learnBudget(Runs, Exact);
  };
  EXPECT_THAT(Learned("9223372036854775807"),
              HasSubstr("\nbytes = 9223372036854775807 "));
  EXPECT_THAT(Learned("9223372036854775808"), Not(HasSubstr("\nbytes = ")));
}

TEST(Learn, NamesOfTypesAreNotGlobs) {
  const std::vector Traces = {readText(
      "header state=complete pid=1\nextent meta\n type index=1 id=1 size=8 "
      "name=\"Foo *\"\n type index=2 id=2 size=8 name=\"Foo x'*\"\n site id=1 "
      "type=1 kind=new function=f\n site id=2 type=2 kind=new function=f\n"
      "extent rows owner=1\n row site=1 type=1 allocations=1 bytes=8\n"
      " row site=2 type=2 allocations=3 bytes=24\n")};
  std::vector<RunProfile> Runs;
  Runs.push_back({"a", *buildProfile(Traces), {}});
  const Budget B = budget(learnBudget(Runs, {}));
  const CheckResult R = check(B, Runs);
  EXPECT_EQ(R.broken(), 0u);
  bool Seen = false;
  for (const Verdict &V : R.Runs[0].All)
    if (V.Of->Of.Glob == "Foo \\*" && V.Of->What == Metric::Blocks) {
      Seen = true;
      EXPECT_EQ(V.Value, 1u);
    }
  EXPECT_TRUE(Seen);
  EXPECT_TRUE(matchesGlob("a\\*b*", "a*bc"));
  EXPECT_FALSE(matchesGlob("a\\*b*", "axbc"));
  EXPECT_TRUE(matchesGlob("*\\*", "int *"));
  EXPECT_FALSE(matchesGlob("*\\?", "int *"));
}

class CheckPrinters : public testing::Test {
protected:
  CheckPrinters()
      : B(budget("[types.Foo]\nblocks = 1\nbytes = 1000\n[totals]\n"
                 "peak_bytes = 1\n")),
        R(sampleRun()), Result(check(B, std::span(&R, 1))) {}
  Budget B;
  RunProfile R;
  CheckResult Result;
};

TEST_F(CheckPrinters, TextSaysWhatBrokeByHowMuchAndWhere) {
  const std::string Text =
      printCheckText(Result, {100, false, true}, CheckRows::Keys);
  EXPECT_THAT(Text, HasSubstr("types.Foo blocks"));
  EXPECT_THAT(Text, HasSubstr("≤ 1"));
  EXPECT_THAT(Text, HasSubstr("+11"));
  EXPECT_THAT(Text, HasSubstr("src/a.cpp:3"));
  EXPECT_THAT(Text, HasSubstr("b.toml:2"));
  EXPECT_THAT(Text, HasSubstr("2 of 3 limits broken"));
  EXPECT_THAT(Text, Not(HasSubstr("types.Foo bytes")));
}

TEST_F(CheckPrinters, TextHasOneRowForEachCauseByExcess) {
  const std::string Text = printCheckText(Result, {100, false, true});
  // One site breaks both; the peak exceeds its limit of one byte by far more.
  EXPECT_THAT(Text, HasSubstr("peak live bytes in all"));
  EXPECT_LT(Text.find("peak live bytes in all"), Text.find("blocks of Foo"));
  EXPECT_THAT(Text, HasSubstr("src/a.cpp:3"));
  EXPECT_THAT(Text, HasSubstr("also blocks of Foo 12 ×"));
  EXPECT_THAT(Text, Not(HasSubstr("types.Foo")));
  EXPECT_THAT(Text, HasSubstr("2 of 3 limits broken; --keys"));
}

TEST_F(CheckPrinters, LimitsThatAreCutAlikeSayWhereTheyStand) {
  const std::string Long(120, 'x');
  const Budget Two = budget("[types.\"Foo" + Long + "A" + Long +
                            "\"]\nblocks = { min = 1 }\n" + "[types.\"Foo" +
                            Long + "B" + Long + "\"]\nblocks = { min = 1 }\n");
  const std::string Text = printCheckText(check(Two, std::span(&R, 1)),
                                          {80, false, true}, CheckRows::Keys);
  EXPECT_THAT(Text, HasSubstr("line 2: types"));
  EXPECT_THAT(Text, HasSubstr("line 4: types"));
}

TEST_F(CheckPrinters, ALongPathOfABudgetKeepsItsNameAndLine) {
  const std::string Folder = "/" + std::string(90, 'd') + "/";
  Result.File = Folder + "service/budget.toml";
  EXPECT_THAT(printCheckText(Result, {80, false, true}),
              HasSubstr("…/service/budget.toml:5\n"));
}

TEST_F(CheckPrinters, JsonHasEveryLimit) {
  const json J = json::parse(printCheckJson(Result));
  EXPECT_EQ(J["schema"], "inmem-check/1");
  EXPECT_EQ(J["broken"], 2);
  const json &First = J["runs"][0]["limits"][0];
  EXPECT_EQ(First["limit"], "types.Foo blocks");
  EXPECT_EQ(First["verdict"], "above");
  EXPECT_EQ(First["value"], 12);
  EXPECT_EQ(First["from"][0]["line"], 3);
  EXPECT_EQ(J["runs"][0]["limits"][1]["verdict"], "held");
}

TEST(CheckPrinter, NamesOfMetricsNeverChangeForScripts) {
  for (const char *Key : {"peak_bytes", "peak_live_bytes"}) {
    const Budget B = budget(fmt::format("[totals]\n{} = 1\n", Key));
    const RunProfile R = sampleRun();
    const CheckResult Result = check(B, std::span(&R, 1));
    const json J = json::parse(printCheckJson(Result));
    const json &Row = J["runs"][0]["limits"][0];
    EXPECT_EQ(Row["limit"], "totals peak_bytes");
    EXPECT_EQ(Row["metric"], "peak_bytes");
    EXPECT_EQ(Row["key"], "peak_live_bytes");
    EXPECT_THAT(printJUnit(Result, "/"), HasSubstr("name=\"peak_bytes\""));
    const json Sarif = json::parse(printSarif(Result, "/"));
    const json &First = Sarif["runs"][0]["results"][0];
    EXPECT_EQ(First["ruleId"], "peak_bytes");
    EXPECT_EQ(First["partialFingerprints"]["limit/v1"], "totals peak_bytes");
    // People read the word of the budget file.
    EXPECT_THAT(printCheckText(Result, {}, CheckRows::Keys),
                HasSubstr("totals peak_live_bytes"));
  }
}

TEST_F(CheckPrinters, JUnitCountsAndEscapes) {
  const std::string Xml = printJUnit(Result, "/");
  EXPECT_THAT(Xml, HasSubstr("tests=\"3\" failures=\"2\""));
  EXPECT_THAT(Xml, HasSubstr("<testcase classname=\"types.Foo\" "
                             "name=\"bytes\" time=\"0\" />"));
  EXPECT_THAT(Xml, HasSubstr("<failure type=\"above\""));
  EXPECT_THAT(Xml, Not(HasSubstr("call<")));
}

TEST_F(CheckPrinters, SarifPointsToTheLargestSite) {
  const json J = json::parse(printSarif(Result, "/home/me/p"));
  const json &Result0 = J["runs"][0]["results"][0];
  EXPECT_EQ(Result0["ruleId"], "blocks");
  const json &At = Result0["locations"][0]["physicalLocation"];
  EXPECT_EQ(At["artifactLocation"]["uri"], "src/a.cpp");
  EXPECT_EQ(At["artifactLocation"]["uriBaseId"], "SRCROOT");
  EXPECT_EQ(At["region"]["startLine"], 3);
  EXPECT_EQ(J["runs"][0]["originalUriBaseIds"]["SRCROOT"]["uri"],
            "file:///home/me/p/");
}

TEST_F(CheckPrinters, GithubCommandsAreOneLineEach) {
  const std::string Lines = printGithub(Result, "/");
  // Two limits break at one line.
  EXPECT_EQ(std::count(Lines.begin(), Lines.end(), '\n'), 1);
  EXPECT_THAT(Lines, HasSubstr("; also over: peak live bytes in all\n"));
  EXPECT_THAT(Lines, HasSubstr("::error file=src/a.cpp,line=3,title=budget%3A "
                               "blocks of Foo::blocks of Foo: found 12, "
                               "allowed at most 1 (11 more)"));
  // A file's name ends neither its property nor the properties.
  for (Contributor &C : Result.Runs[0].All[0].From)
    C.Where.File = "/a,b::c.cpp";
  EXPECT_THAT(printGithub(Result, "/"),
              HasSubstr("::error file=/a%2Cb%3A%3Ac.cpp,line=3,"));
}

} // namespace
