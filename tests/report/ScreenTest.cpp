//===- ScreenTest.cpp - The report of one screen, and rows of one name ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfileOf.h"

#include "report/findings/Findings.h"
#include "report/model/OverTime.h"
#include "report/model/View.h"
#include "report/names/TypeName.h"
#include "report/text/Curve.h"
#include "report/text/TextReport.h"
#include "support/SampleTrace.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sstream>

using namespace inmem;
using namespace inmem::report;
using inmem::test::readText;
using testing::HasSubstr;
using testing::Not;

namespace {

/// Many types, each temporary at a line of its own, and each alive in part.
Profile manyTypes(size_t Types) {
  std::string Text = "header state=complete ticks-per-second=1000000000 "
                     "clock=exact\nextent meta\n";
  for (size_t I = 1; I <= Types; ++I)
    Text += fmt::format(" type index={0} id={0} size=40 name=\"ns::Type{0}\"\n"
                        " site id={0} type={0} kind=new function=\"f{0}()\" "
                        "file=\"src/a.cpp\" line={0}\n",
                        I);
  Text += "extent rows owner=1\n";
  for (size_t I = 1; I <= Types; ++I)
    Text += fmt::format(" row site={} allocations={} bytes={} frees={} "
                        "freed-bytes={} temporary={}\n",
                        I, 1000 + I, 40 * (1000 + I), 900 + I, 40 * (900 + I),
                        900 + I);
  Profile P = profileOf(readText(Text), {});
  P.PeakLiveBytes = 1 << 20; // what stays alive matters little
  return P;
}

size_t linesIn(const std::string &Text) {
  return static_cast<size_t>(std::ranges::count(Text, '\n'));
}

TEST(Screen, FitsWhateverThereIs) {
  for (const size_t Types : {0u, 1u, 3u, 9u, 60u})
    for (const unsigned Width : {80u, 120u, 200u}) {
      Profile P = manyTypes(Types);
      for (int I = 0; I < 9; ++I)
        P.Notes.push_back(fmt::format(
            "note {}: a sentence that is so long that it takes more than one "
            "line of a terminal of eighty columns",
            I));
      TextOptions Options;
      Options.OneScreen = true;
      Options.Look.Width = Width;
      Options.Source = [](const std::string &) {
        return SourceText{std::string(4000, '\n'), {}};
      };
      Options.Next = {{"inmem html a.inmem", "a page"},
                      {"inmem report --full a.inmem", "all"},
                      {"inmem diff b.inmem a.inmem", "what changed"}};
      const std::string Text = printText(P, {}, Options);
      EXPECT_LE(linesIn(Text), 49u) << Types << ' ' << Width << '\n' << Text;
      std::istringstream Lines(Text);
      for (std::string Line; std::getline(Lines, Line);)
        EXPECT_LE(displayWidth(Line), Width) << Line;
    }
}

TEST(Screen, AnswersWhatToChangeAndWhatNext) {
  TextOptions Options;
  Options.OneScreen = true;
  Options.Look.Width = 100;
  Options.Next = {{"inmem html a.inmem", "a page"}};
  const std::string Text = printText(manyTypes(12), {}, Options);
  for (const char *Part :
       {"  allocated  ", "  alive      ",
        "WHAT TO CHANGE   together these save", "9 more: --by finding",
        "f12  src/a.cpp:12", "TYPES", "4 more: --by type", "ns::Type12 ",
        "STILL ALIVE AT THE END", "9 more: --full", "NEXT",
        "  inmem html a.inmem   a page\n"})
    EXPECT_THAT(Text, HasSubstr(Part));
  EXPECT_THAT(Text, Not(HasSubstr("DETAILS")));
  // A program that allocates nothing has no table without rows.
  EXPECT_THAT(printText(manyTypes(0), {}, Options),
              HasSubstr("no block was allocated"));
}

// However little room there is: a finding without its change is of no use. Code
// of two findings is shown once.
TEST(Screen, ShowsEveryChangeWhole) {
  for (const size_t Types : {3u, 9u, 60u})
    for (const size_t Notes : {0u, 9u}) {
      Profile P = manyTypes(Types);
      for (size_t I = 0; I < Notes; ++I)
        P.Notes.push_back(fmt::format("note {}", I));
      TextOptions Options;
      Options.OneScreen = true;
      Options.Look.Width = 80;
      Options.Source = [](const std::string &) {
        return SourceText{std::string(4000, '\n'), {}};
      };
      std::istringstream Words(printText(P, {}, Options));
      std::string Text, Word;
      while (Words >> Word)
        Text += Word + ' ';
      const std::vector<Finding> Shown = findingsOf(P, 3);
      ASSERT_EQ(Shown.size(), 3u);
      for (const Finding &F : Shown)
        EXPECT_THAT(Text, HasSubstr("→ " + F.Advice + ' ')) << Types;
    }
}

TEST(Screen, MoreFindingsAndTypesAreShownIfAskedFor) {
  TextOptions Options;
  Options.OneScreen = true;
  Options.Rows = 12;
  View V;
  V.Findings = 5;
  const std::string Text = printText(manyTypes(12), V, Options);
  EXPECT_THAT(Text, HasSubstr("ns::Type1 "));
  EXPECT_THAT(Text, HasSubstr("7 more: --by finding"));
}

TEST(Together, BlocksOfSeveralFindingsCountOnce) {
  Profile P = manyTypes(2);
  P.PeakLiveBytes = 800;
  Finding A, B;
  A.Sites = {0};
  A.SavesAllocations = 100;
  A.SavesBytes = 4000;
  A.SavesPeakBytes = 300;
  B.Sites = {0, 1}; // 1002 of the 2003 blocks are A's
  B.SavesAllocations = 2003;
  B.SavesBytes = 20030;
  B.SavesPeakBytes = 400;
  const Savings All = savedTogether(P, std::vector<Finding>{A, B});
  EXPECT_EQ(All.Blocks, 100u + 1001);
  EXPECT_EQ(All.Bytes, 4000u + 10010);
  EXPECT_EQ(All.PeakBytes, 300u + 200);
  EXPECT_EQ(savedTogether(P, {}).Blocks, 0u);
  // Never more than there was.
  A.SavesPeakBytes = 801;
  EXPECT_EQ(savedTogether(P, std::vector<Finding>{A}).PeakBytes, 800u);
  A.SavesAllocations = ~uint64_t{0} / 4;
  EXPECT_EQ(savedTogether(P, std::vector<Finding>{A}).Blocks, 2003u);
}

Profile timeline() {
  Profile P;
  P.Timeline = {{0, "start", ""},
                {10, "manual", "load"},
                {50, "manual", "query"},
                {52, "manual", "a name that has no room"},
                {100, "end", ""}};
  P.Types.resize(2);
  P.Types[0].LiveBytesAt = {0, 10, 30};
  P.Types[1].LiveBytesAt = {0, 1, 2, 4, 8};
  return P;
}

TEST(Curve, IsTheSumOfTypesInSteps) {
  const Profile P = timeline();
  EXPECT_THAT(liveBytesOverTime(P), testing::ElementsAre(0, 11, 32, 4, 8));
  EXPECT_THAT(columnsOf(P, liveBytesOverTime(P), 10),
              testing::ElementsAre(0, 11, 11, 11, 11, 32, 32, 32, 32, 8));
}

TEST(Curve, PhasesAreMarkedWhereTheyBegin) {
  EXPECT_EQ(phaseMarks(timeline(), {}, 20), "  ╵load   ╵query");
  EXPECT_EQ(phaseMarks(timeline(), {.Unicode = false}, 12), " |load|query");
  EXPECT_EQ(phaseMarks(timeline(), {.Unicode = false}, 11), " |   |query");
  Profile None = timeline();
  for (TimePoint &Point : None.Timeline)
    Point.Name.clear();
  EXPECT_EQ(phaseMarks(None, {}, 20), "");
}

/// Characters of two names: a string's buffer, and others.
constexpr const char *kTwoNames =
    "header state=complete\nextent meta\n"
    " type index=1 id=1 size=1 name=char\n"
    " site id=1 type=1 kind=new function=\"std::__cxx11::basic_string<char, "
    "std::char_traits<char>, std::allocator<char> >::_M_create(unsigned long&, "
    "unsigned long)\" file=\"/usr/include/c++/12/bits/basic_string.tcc\" "
    "line=1\n"
    " site id=2 type=1 kind=new function=\"raw()\" file=a.cpp line=9\n"
    "extent rows owner=1\n row site=1 allocations=10 bytes=400\n"
    " row site=2 allocations=1 bytes=30\n";

TEST(Rows, BlocksOfOneNameAreOneRowInEachSection) {
  const Profile P = profileOf(readText(kTwoNames), {});
  const std::vector<TypeRow> Rows = selectTypeRows(P, {});
  ASSERT_EQ(Rows.size(), 2u);
  EXPECT_EQ(Rows[0].name(), "std::string buffer");
  EXPECT_EQ(Rows[0].sum().AllocatedBytes, 400u);
  EXPECT_EQ(Rows[1].name(), "char");
  EXPECT_TRUE(Rows[0].has(P, 0, 0));
  EXPECT_FALSE(Rows[0].has(P, 0, 1));
  // TYPES and DETAILS have the same sums.
  const std::string Text = printText(P, {}, {});
  const std::string Details = Text.substr(Text.find("DETAILS"));
  EXPECT_THAT(Details, HasSubstr("std::string buffer\n"));
  EXPECT_THAT(Details, HasSubstr("400 B (93.0 %)"));
  EXPECT_THAT(Details, HasSubstr("30 B (7.0 %)"));
  EXPECT_THAT(Details, Not(HasSubstr("430 B")));
}

TEST(Rows, GrowthIsThatOfTheName) {
  Profile P = profileOf(readText(kTwoNames), {});
  P.Timeline = {{0, "start", ""}, {5, "periodic", ""}, {9, "end", ""}};
  ASSERT_EQ(P.Types[0].Kinds.size(), 2u);
  P.Types[0].Kinds[0].LiveBytesAt = {0, 100, 400};
  P.Types[0].Kinds[1].LiveBytesAt = {0, 0, 30};
  P.Types[0].LiveBytesAt = {0, 100, 430};
  const std::vector<TypeGrowth> Rows = growthOfRows(P);
  ASSERT_EQ(Rows.size(), 2u);
  EXPECT_EQ(Rows[0].Row.name(), "std::string buffer");
  EXPECT_EQ(Rows[0].LiveBytes.back(), 400u);
  EXPECT_EQ(growthOfTypes(P).size(), 1u);
}

TEST(Names, OfClonesAreTheFunctions) {
  EXPECT_EQ(shortFunction("ns::f(int) [clone .isra.0]"), "ns::f");
  EXPECT_EQ(shortFunction("void ns::f<int>(int) [clone .constprop.0] [clone "
                          ".cold]"),
            "ns::f<int>");
  EXPECT_EQ(shortFunction("ns::task<int> ns::g(int) (.resume)"), "ns::g");
  EXPECT_EQ(shortFunction("operator()(int)"), "operator()");
}

std::string cut(std::vector<std::string> Cells, size_t Width) {
  Table T;
  T.column({"name", false, true, 0, Paint::None, shortenName, 4});
  for (std::string &Cell : Cells)
    T.row({std::move(Cell)});
  Style S;
  S.Width = static_cast<unsigned>(Width);
  return T.render(S, 0);
}

TEST(Names, WhatRowsShareGoesButNotTheFileOrTheTemplate) {
  const std::string Lines =
      cut({"ns::deeply::nested::function  src/some/a.cpp:871",
           "ns::deeply::nested::function  src/some/a.cpp:872"},
          24);
  EXPECT_THAT(Lines, HasSubstr("a.cpp:871"));
  EXPECT_THAT(Lines, HasSubstr("a.cpp:872"));
  const std::string Inlined =
      cut({"ns::deeply::nested::function  src/a.cpp:871 (inlined)",
           "ns::deeply::nested::function  src/a.cpp:872 (inlined)"},
          26);
  EXPECT_THAT(Inlined, Not(HasSubstr("…872")));
  const std::string Types =
      cut({"some::outer::Container<some::Key, some::Value, true>",
           "some::outer::Container<some::Key, some::Value, false>"},
          20);
  EXPECT_THAT(Types, Not(HasSubstr("\n…true>")));
  EXPECT_THAT(Types, HasSubstr("Container"));
}

} // namespace
