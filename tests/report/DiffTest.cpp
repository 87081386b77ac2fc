//===- DiffTest.cpp - Rows that match, and what is noise ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/SampleTrace.h"

#include "report/compare/Diff.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

using namespace inmem;
using namespace inmem::report;
using namespace inmem::test;
using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

namespace {

struct At {
  const char *Function, *File;
  int Line;
  int Blocks;
  const char *Type = "A";
  int Freed = 0;
};

/// A run with these sites; every block has 8 bytes.
Profile run(const std::vector<At> &Sites) {
  std::string Types = "header\nextent meta\n", Where, Rows;
  int Id = 0;
  for (const At &S : Sites) {
    const std::string N = std::to_string(++Id);
    Types += " type index=" + N +
             " id=" + std::to_string(std::hash<std::string>()(S.Type) >> 1) +
             " size=8 name=" + trace::quoted(S.Type) + "\n";
    Where += " site id=" + N + " type=" + N +
             " kind=new function=" + trace::quoted(S.Function) +
             " file=" + trace::quoted(S.File) +
             " line=" + std::to_string(S.Line) + "\n";
    Rows += " row site=" + N + " type=" + N +
            " allocations=" + std::to_string(S.Blocks) +
            " bytes=" + std::to_string(8 * S.Blocks) +
            " frees=" + std::to_string(S.Freed) +
            " freed-bytes=" + std::to_string(8 * S.Freed) + "\n";
  }
  const std::vector Traces = {
      readText(Types + Where + "extent rows owner=1\n" + Rows)};
  return *buildProfile(Traces);
}

/// Changes of sites: `f old>new` by blocks, in the order of the diff.
std::vector<std::string> siteChanges(const std::vector<At> &Old,
                                     const std::vector<At> &New) {
  std::vector<std::string> Out;
  for (const DiffRow &R : compare(run(Old), run(New)).Sites)
    Out.push_back(
        R.Name + ' ' +
        (R.Old.There ? std::to_string(R.Old.Median.Allocations) : "-") + '>' +
        (R.New.There ? std::to_string(R.New.Median.Allocations) : "-"));
  return Out;
}

using Strings = std::vector<std::string>;

TEST(Diff, OfAProfileWithItselfIsEmpty) {
  const std::vector Traces = {readText(kSample)};
  const Profile P = *buildProfile(Traces);
  View V;
  V.Tables = {By::Type, By::Site};
  const json J = json::parse(printDiffJson(compare(P, P), V));
  EXPECT_TRUE(J["types"].empty());
  EXPECT_TRUE(J["sites"].empty());
}

TEST(Diff, NewAndGoneTypesShow) {
  const Diff D =
      compare(run({{"f", "a.c", 3, 1, "A"}}),
              run({{"f", "a.c", 3, 1, "A"}, {"g", "a.c", 9, 5, "B"}}));
  ASSERT_EQ(D.Types.size(), 2u);
  EXPECT_EQ(D.Types[0].Name, "B");
  EXPECT_FALSE(D.Types[0].Old.There);
  EXPECT_FALSE(D.Types[1].changed());
}

TEST(Diff, PeaksOfTypes) {
  const auto Run = [](std::optional<uint64_t> Peak) {
    Profile P = run({{"f", "a.c", 3, 1, "A"}, {"g", "a.c", 9, 5, "B"}});
    for (TypeResult &T : P.Types)
      T.PeakLiveBytes = T.Name == "A" ? Peak : 8;
    return P;
  };
  const std::vector Old = {Run(4096), Run(1024), Run(2048)};
  std::vector New = {run({{"f", "a.c", 3, 2, "A"}})};
  New[0].Types[0].PeakLiveBytes = 3072;
  const Diff D = compare(Old, New);
  ASSERT_EQ(D.Types.size(), 2u);
  const DiffRow &A = D.Types[D.Types[0].Name == "A" ? 0 : 1];
  EXPECT_EQ(A.Old.Peak, 2048u) << "the median";
  EXPECT_EQ(A.New.Peak, 3072u);
  EXPECT_EQ(json::parse(printDiffJson(D, {}))["types"].size(), 2u);
  const std::string Text = printDiffText(D, {}, Style{120});
  EXPECT_THAT(Text, HasSubstr("+1.0 KiB"));
  EXPECT_THAT(Text, HasSubstr("-8 B")) << "B is gone";
  // Not known of one run: not known.
  for (const DiffRow &R : compare(std::vector{Run(4096), Run({})}, New).Types)
    EXPECT_EQ(R.Old.Peak.has_value(), R.Name == "B");
}

TEST(Diff, MovedLinesMatch) {
  EXPECT_EQ(siteChanges({{"f", "a.c", 3, 1}}, {{"f", "a.c", 30, 2}}),
            Strings{"f 1>2"});
}

TEST(Diff, SitesOfAFunctionMatchInOrderOrAllTogether) {
  EXPECT_EQ(siteChanges({{"f", "a.c", 3, 1}, {"f", "a.c", 9, 10}},
                        {{"f", "a.c", 13, 1}, {"f", "a.c", 19, 30}}),
            (Strings{"f 10>30", "f 1>1"}));
  EXPECT_EQ(siteChanges({{"f", "a.c", 3, 1}, {"f", "a.c", 9, 10}},
                        {{"f", "a.c", 13, 40}}),
            Strings{"f 11>40"});
}

TEST(Diff, MovedFilesAndRenamedFunctionsMatchWhereOnlyOneIsLeft) {
  EXPECT_EQ(siteChanges({{"f", "/ci/1/a.c", 3, 1}}, {{"f", "/ci/2/a.c", 3, 2}}),
            Strings{"f 1>2"});
  EXPECT_EQ(siteChanges({{"f", "a.c", 3, 1}}, {{"f", "b.c", 3, 2}}),
            Strings{"f 1>2"});
  EXPECT_EQ(siteChanges({{"f(int)", "a.c", 3, 1}}, {{"f(long)", "a.c", 3, 2}}),
            Strings{"f(long) 1>2"});
  EXPECT_EQ(siteChanges({{"f", "a.c", 3, 1}}, {{"g", "a.c", 3, 2}}),
            Strings{"g 1>2"});
  // Two candidates: it is unknown.
  EXPECT_EQ(siteChanges({{"f", "a.c", 3, 5}},
                        {{"g", "a.c", 3, 2}, {"h", "a.c", 4, 1}}),
            (Strings{"f 5>-", "g ->2", "h ->1"}));
  // Another type is another site.
  EXPECT_EQ(siteChanges({{"f", "a.c", 3, 2, "A"}}, {{"f", "a.c", 3, 1, "B"}}),
            (Strings{"f 2>-", "f ->1"}));
}

TEST(Diff, WhatTheCompilerNumbersMatchesWithoutNumbers) {
  EXPECT_EQ(stableName("(lambda at src/a.cpp:3:5)"), "(lambda at src/a.cpp)");
  EXPECT_EQ(stableName("N<(unnamed struct at a.h:30:15), int>"),
            "N<(unnamed struct at a.h), int>");
  EXPECT_EQ(stableName("(lambda at a.cpp::)"), "(lambda at a.cpp::)");
  EXPECT_EQ(stableName("(lambda at a.cpp:3:)"), "(lambda at a.cpp:3:)");
  EXPECT_EQ(stableName("main::$_12::operator()(int) const"),
            "main::$_::operator()(int) const");
  EXPECT_EQ(stableName("f()::'lambda3'(int)"), "f()::'lambda'(int)");
  EXPECT_EQ(stableName("f()::{lambda(int)#2}::operator()"),
            "f()::{lambda(int)#}::operator()");
  EXPECT_EQ(stableName("work(int) (.llvm.8812)"), "work(int)");
  EXPECT_EQ(stableName("a::b<3>::c12(x::y)"), "a::b<3>::c12(x::y)");
  EXPECT_EQ(siteChanges({{"main::$_0::operator()", "a.c", 3, 1}},
                        {{"main::$_1::operator()", "a.c", 8, 2}}),
            Strings{"main::$_1::operator() 1>2"});
  EXPECT_EQ(compare(run({{"f", "a.c", 3, 1, "(lambda at a.c:3:5)"}}),
                    run({{"f", "a.c", 8, 1, "(lambda at a.c:8:5)"}}))
                .Types.size(),
            1u);
}

// Two lines of a function, and two types of a line: no two rows read the same.
TEST(Diff, RowsOfOneFunctionDifferAtEveryWidth) {
  const Diff D =
      compare(run({{"shop::Basket::add", "src/shop.cpp", 9, 1},
                   {"shop::Basket::add", "src/shop.cpp", 12, 1}}),
              run({{"shop::Basket::add", "src/shop.cpp", 9, 5},
                   {"shop::Basket::add", "src/shop.cpp", 12, 9},
                   {"shop::Basket::add", "src/shop.cpp", 9, 7, "B"}}));
  View V;
  V.Tables = {By::Site};
  for (const unsigned Width : {72u, 80u, 96u, 120u}) {
    const std::string Text = printDiffText(D, V, Style{Width});
    EXPECT_THAT(Text, ContainsRegex("Basket::add +[^ ]*shop.cpp:9 +A "));
    EXPECT_THAT(Text, ContainsRegex("Basket::add +[^ ]*shop.cpp:9 +B "));
    EXPECT_THAT(Text, ContainsRegex("Basket::add +[^ ]*shop.cpp:12 +A "));
  }
  const std::string Page = printDiffHtml(D, V);
  EXPECT_THAT(Page, HasSubstr("<th class=\"n\">type</th>"));
  EXPECT_THAT(Page, HasSubstr("<code>B</code>"));
}

TEST(Diff, SetsShowMediansAndMarkNoise) {
  const auto Set = [](const std::vector<std::pair<int, int>> &Blocks) {
    std::vector<Profile> Runs;
    for (const auto &[F, G] : Blocks)
      Runs.push_back(run({{"f", "a.c", 3, F, "F"}, {"g", "a.c", 5, G, "G"}}));
    return Runs;
  };
  const auto Old = Set({{10, 100}, {14, 100}, {11, 100}});
  const auto New = Set({{13, 101}, {12, 102}, {15, 101}});
  const Diff D = compare(Old, New);
  EXPECT_EQ(D.OldRuns, 3u);
  ASSERT_EQ(D.Types.size(), 2u);
  // The larger change is noise and comes last.
  EXPECT_EQ(D.Types[0].Name, "G");
  EXPECT_FALSE(D.Types[0].noise());
  EXPECT_EQ(D.Types[0].New.Median.Allocations, 101u);
  EXPECT_EQ(D.Types[1].Name, "F");
  EXPECT_TRUE(D.Types[1].noise());
  EXPECT_EQ(D.Types[1].Old.Median.Allocations, 11u);
  EXPECT_EQ(D.Types[1].Old.Blocks.Max, 14u);
  const std::string Text = printDiffText(D, View{}, Style{});
  EXPECT_THAT(Text, HasSubstr("medians of 3 and 3 runs"));
  EXPECT_THAT(Text, HasSubstr("noise"));
}

TEST(Diff, NamesFunctionsRatherThanParameters) {
  // One overload is removed, another added, both too long for the column.
  View V;
  V.Tables = {By::Site};
  const std::string Text = printDiffText(
      compare(run({{"ns::fieldsOf(std::vector<Something> const&, int)", "a.c",
                    3, 5, "A"},
                   {"ns::other()", "a.c", 4, 5, "B"}}),
              run({{"ns::fieldsOf(std::list<Something> const&, long)", "b.c", 9,
                    7, "C"},
                   {"ns::other()", "a.c", 4, 6, "B"}})),
      V, Style{80});
  EXPECT_THAT(Text, ContainsRegex("ns::fieldsOf +a.c:3"));
  EXPECT_THAT(Text, ContainsRegex("ns::fieldsOf +b.c:9"));
}

TEST(Diff, IsNoNoiseWhereOneFigureMoved) {
  // Blocks and bytes vary as before; none was alive at the end, then two are.
  const auto Set = [](int Freed) {
    return std::vector{run({{"f", "a.c", 3, 10, "A", 10 - Freed}}),
                       run({{"f", "a.c", 3, 11, "A", 11 - Freed}}),
                       run({{"f", "a.c", 3, 12, "A", 12 - Freed}})};
  };
  const Diff D = compare(Set(0), Set(2));
  ASSERT_EQ(D.Types.size(), 1u);
  EXPECT_TRUE(D.Types[0].changed());
  EXPECT_FALSE(D.Types[0].noise());
  EXPECT_EQ(D.Types[0].Old.LiveBytes.Max, 0u);
  EXPECT_EQ(D.Types[0].New.LiveBytes.Min, 16u);
  EXPECT_FALSE(compare(Set(2), Set(2)).Types[0].changed());
}

TEST(Diff, ATypeThatIsInOneRunOnlyIsZeroInTheOthers) {
  std::vector<Profile> Old, New;
  for (int I = 0; I < 3; ++I)
    Old.push_back(run({{"f", "a.c", 3, 4}}));
  New.push_back(run({{"f", "a.c", 3, 4}, {"g", "a.c", 5, 9, "Rare"}}));
  New.push_back(run({{"f", "a.c", 3, 4}}));
  New.push_back(run({{"f", "a.c", 3, 4}}));
  const Diff D = compare(Old, New);
  ASSERT_EQ(D.Types.size(), 2u);
  const DiffRow &Rare = D.Types[0].Name == "Rare" ? D.Types[0] : D.Types[1];
  EXPECT_EQ(Rare.New.Median.Allocations, 0u);
  EXPECT_TRUE(Rare.noise());
}

/// main calls make, at this line, directly, through f, and through f which
/// calls itself; N blocks of 8 bytes each.
Profile stacked(int Line, int Direct, int ThroughF, int Recursive) {
  const std::string Text = R"(
header
extent meta
  module id=1 base=0x1000 path="/bin/app"
  type index=1 id=0x11 size=8 name="Foo"
  site id=1 type=1 key=0x1 kind=new function="make" file="a.cpp" line=3
  address id=1 module=1 offset=0x10 function="make"
  address id=2 module=1 offset=0x20 function="f"
  address id=3 module=1 offset=0x30
  symbol address=3
    frame function="main" file="m.cpp" line=LINE
  stack id=1 address=3
  stack id=2 parent=1 address=1
  stack id=3 parent=1 address=2
  stack id=4 parent=3 address=1
  stack id=5 parent=3 address=2
  stack id=6 parent=5 address=1
  stacked-site id=2 site=1 stack=2
  stacked-site id=3 site=1 stack=4
  stacked-site id=4 site=1 stack=6
extent rows owner=1
)";
  std::string Out = Text;
  Out.replace(Out.find("LINE"), 4, std::to_string(Line));
  int Site = 1;
  for (const int Blocks : {Direct, ThroughF, Recursive})
    Out += "row site=" + std::to_string(++Site) +
           " type=1 allocations=" + std::to_string(Blocks) +
           " bytes=" + std::to_string(8 * Blocks) + "\n";
  return *buildProfile(std::vector{readText(Out)});
}

TEST(Diff, StacksMatchByFunctionsWithoutLinesAndRecursion) {
  const Diff D = compare(stacked(7, 5, 2, 1), stacked(9, 5, 1, 4));
  ASSERT_EQ(D.Stacks.size(), 2u);
  const DiffRow &Grown = D.Stacks[0], &Same = D.Stacks[1];
  EXPECT_EQ(Grown.Old.Median.Allocations, 3u);
  EXPECT_EQ(Grown.New.Median.Allocations, 5u);
  EXPECT_EQ(Grown.Name, "make");
  EXPECT_EQ(Grown.Type, "Foo");
  EXPECT_FALSE(Same.changed());

  View V;
  V.Tables = {By::Stack};
  const json J = json::parse(printDiffJson(D, V));
  ASSERT_EQ(J["stacks"].size(), 1u);
  EXPECT_FALSE(J.contains("types"));
  const json &Row = J["stacks"][0];
  EXPECT_EQ(Row["new"]["allocated_bytes"], 40);
  std::string Functions;
  for (const json &Frame : Row["frames"]["new"])
    Functions += Frame["function"].get<std::string>() + ' ';
  EXPECT_EQ(Functions, "make f main ");
  EXPECT_EQ(Row["frames"]["old"][2]["line"], 7);
  EXPECT_THAT(printDiffText(D, V, Style{}), HasSubstr("make ← f ← main"));
  const std::string Page = printDiffHtml(D, V);
  EXPECT_THAT(Page, HasSubstr("By stack"));
  EXPECT_THAT(Page, HasSubstr("make ← f ← main"));
}

TEST(Diff, WithoutStacksSaysSo) {
  View V;
  V.Tables = {By::Stack};
  const std::vector<At> Sites = {{"f", "a.c", 3, 1}};
  EXPECT_THAT(printDiffText(compare(run(Sites), run(Sites)), V, Style{}),
              HasSubstr("stacks=16"));
}

TEST(Diff, HtmlIsOnePageThatEscapes) {
  View V;
  V.Tables = {By::Type, By::Site};
  const std::string Page =
      printDiffHtml(compare(run({{"f<int>", "a&b.c", 3, 1, "T<\"x\">"}}),
                            run({{"f<int>", "a&b.c", 3, 2, "T<\"x\">"}})),
                    V);
  EXPECT_THAT(Page, HasSubstr("f&lt;int&gt;"));
  EXPECT_THAT(Page, HasSubstr("a&amp;b.c:3"));
  EXPECT_THAT(Page, Not(HasSubstr("T<\"x\">")));
  for (const char *Outside : {"src=", "href=", "url("})
    EXPECT_THAT(Page, Not(HasSubstr(Outside)));
}

} // namespace
