//===- SiteTextTest.cpp - Sites in the text report ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfileOf.h"

#include "report/formats/Reports.h"
#include "report/text/LocationText.h"
#include "report/text/TextReport.h"
#include "support/SampleTrace.h"

#include <gmock/gmock.h>

using namespace inmem;
using namespace inmem::report;
using inmem::test::readText;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

/// Strings: in the buffer of a vector, and, in some traces, one on its own.
std::string strings(bool Alone) {
  std::string Out =
      "header state=complete\nextent meta\n"
      " type index=1 id=1 size=32 name=\"std::basic_string<char>\"\n"
      " site id=1 type=1 kind=allocator function=\"_ZNSt12_Vector_baseINSt7__"
      "cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE11_M_allocateEm\" "
      "file=\"/usr/include/v.h\"\n"
      "  frame function=\"f\" file=\"a.cpp\" line=4\n"
      " site id=2 type=1 kind=new function=\"g\" file=\"b.cpp\" line=7\n"
      "extent rows owner=1\n row site=1 allocations=3 bytes=960\n";
  return Out + (Alone ? " row site=2 allocations=2 bytes=64\n" : "");
}

std::string textOf(const Profile &P) {
  View V;
  V.Tables = {By::Type, By::Site};
  return printText(P, V, {});
}

/// The part of a text from a title to the next.
std::string section(const std::string &Text, const std::string &Title) {
  const size_t At = Text.find("\n" + Title);
  return At == std::string::npos ? std::string()
                                 : Text.substr(At, Text.find("\n\n", At) - At);
}

} // namespace

TEST(SiteText, BlocksGoByWhatTheirSiteAllocates) {
  const std::string One = textOf(profileOf(readText(strings(false)), {}));
  EXPECT_THAT(section(One, "TYPES"), HasSubstr("std::vector<std::string>"));
  const std::string Two = textOf(profileOf(readText(strings(true)), {}));
  EXPECT_THAT(section(Two, "TYPES"), HasSubstr("  std::string "));
  for (const char *Title : {"SITES", "STILL ALIVE"}) {
    EXPECT_THAT(section(Two, Title), ContainsRegex("vector<.*a.cpp:4|a.cpp:4 +"
                                                   "(std::)?vector<"))
        << Title;
    EXPECT_THAT(section(Two, Title),
                ContainsRegex(" std::string .*b.cpp:7|b.cpp:7 +std::string"))
        << Title;
  }
}

// Massif's profiles say how much is alive, but not of whom.
TEST(SiteText, WhoseBlocksAreAliveIsShownOnlyIfItIsKnown) {
  const auto Shown = [](const std::string &Flags) {
    const std::string Text =
        "header state=complete " + Flags +
        "\nextent meta\n"
        " site id=1 kind=new function=\"g\" file=\"b.cpp\" "
        "line=7\nextent rows owner=1\n"
        " row site=1 allocations=2 bytes=64\n"
        "extent peak\n at-peak site=1 live=64\n";
    return section(textOf(profileOf(readText(Text), {})), "STILL ALIVE");
  };
  EXPECT_THAT(Shown(""), HasSubstr("b.cpp:7"));
  EXPECT_EQ(Shown("flags=no-live-by-site"), "");
}

TEST(SiteText, TypesAndLinesAreThereAtFortyColumns) {
  TextOptions Narrow;
  Narrow.Look.Width = 40;
  const std::string Text =
      printText(profileOf(readText(strings(true)), {}), {}, Narrow);
  EXPECT_THAT(section(Text, "STILL ALIVE"),
              ContainsRegex("type +allocated by\n.*vector<.*a.cpp:4\n"));
  // Nor is what else there is cut: a hint says its width.
  EXPECT_THAT(section(Text, "STILL ALIVE"),
              ContainsRegex("2 more columns at width [0-9]+\n"));
  EXPECT_THAT(Text, HasSubstr("  2 sites\n"));
}

TEST(SiteText, AGlobFindsBlocksByWhatTheirSiteAllocates) {
  ProfileOptions Options;
  Options.TypeGlobs = {"std::vector<*"};
  const Profile P = profileOf(readText(strings(true)), Options);
  ASSERT_EQ(P.Sites.size(), 1u);
  EXPECT_EQ(P.Sites[0].Sum.Allocations, 3u);
}

TEST(SiteText, ObjectsThatWereNotDestroyedAddUp) {
  // 3 of 5 Foo are in live blocks of theirs; 2 are placed in others'.
  const std::string Text = printText(
      profileOf(readText("header state=complete\nextent meta\n"
                         " type index=1 id=1 size=8 name=\"Foo\"\n"
                         " site id=1 type=1 kind=new file=\"a.cpp\" line=1\n"
                         " object module=1 cell=0 type=1 class=\"Foo\" "
                         "event=constructed storage=heap file=\"a.cpp\" "
                         "line=1\n"
                         " object module=1 cell=1 type=1 class=\"Foo\" "
                         "event=constructed storage=placed "
                         "file=\"/usr/include/c++/12/bits/stl_construct.h\" "
                         "line=119\n"
                         " object module=1 cell=2 type=1 class=\"Foo\" "
                         "event=destroyed\n"
                         "extent rows owner=1\n row site=1 type=1 "
                         "allocations=3 bytes=24\n"
                         "extent counters module=1 owner=1\n counts 3 2 0\n"),
                {}),
      {}, {});
  const std::string Part = section(Text, "NEVER DESTROYED");
  EXPECT_THAT(Part, ContainsRegex("5 +5 +Foo +3 +heap +.*a.cpp:1\n"
                                  " +2 +placed +.library code."));
  EXPECT_THAT(Part, Not(HasSubstr("stl_construct")));
}

TEST(SiteText, WhoCallsIsAskedForOnlyWhereStacksWouldTell) {
  Profile P;
  P.Types.resize(1);
  SiteResult &S = P.Sites.emplace_back();
  S.Kind = "caller";
  S.Module = "/usr/lib/libstdc++.so.6";
  S.Where.Function = "libstdc++.so.6+0x1";
  S.Sum.Allocations = S.Sum.LiveAllocations = 1;
  S.Sum.AllocatedBytes = S.Sum.LiveBytes = 99;
  EXPECT_THAT(printText(P, {}, {}), HasSubstr("stacks=16 records"));
  P.Calls.Deepest = 16;
  EXPECT_THAT(printText(P, {}, {}), Not(HasSubstr("stacks=16 records")));
  P.Calls.Deepest = 0;
  P.Sites[0].Sum.AllocatedBytes = P.Sites[0].Sum.LiveBytes = 72704; // its pool
  EXPECT_THAT(printText(P, {}, {}), Not(HasSubstr("stacks=16 records")));
}

TEST(SiteText, EqualPlacesAreToldApart) {
  Profile P;
  TypeResult &T = P.Types.emplace_back();
  T.Name = "Foo";
  T.Peak = AtPeak{300, 300, 3, 3};
  P.PeakLiveBytes = 300;
  P.Totals.Allocations = 2000;
  P.Totals.AllocatedBytes = 200000;
  for (const uint32_t Column : {7u, 31u}) {
    SiteResult &S = P.Sites.emplace_back();
    S.Where = {"f()", "a.cpp", 3, Column};
    S.Sum.Allocations = S.Sum.Temporary = 1000;
    S.Sum.AllocatedBytes = 100000;
    S.Sum.LiveAllocations = 10;
    S.Sum.LiveBytes = 1000;
    S.Peak = AtPeak{150, 150, 1, 1};
  }
  const std::string Text = printText(P, {}, {});
  for (const char *Title : {"FINDINGS", "ALIVE AT THE PEAK", "STILL ALIVE"})
    for (const char *Location : {"a.cpp:3:7", "a.cpp:3:31"})
      EXPECT_THAT(Text.substr(Text.find(Title)), HasSubstr(Location)) << Title;
}

TEST(SiteText, ABoundOfThePeakIsExplainedAndSaysSomething) {
  Profile P;
  TypeResult &T = P.Types.emplace_back();
  T.Name = "Foo";
  P.PeakLiveBytes = 572;
  SiteResult &S = P.Sites.emplace_back();
  S.Where = {"f()", "a.cpp", 3, 1};
  T.Peak = S.Peak = AtPeak{572, 572, 0, 9800};
  const std::string Some = printText(P, {}, {});
  EXPECT_THAT(Some, Not(HasSubstr("9800")));
  T.Peak = AtPeak{100, 572, 1, 20};
  EXPECT_THAT(printText(P, {}, {}), HasSubstr("≤: at most"));
  T.Peak = P.Sites[0].Peak = AtPeak{572, 572, 20, 20};
  EXPECT_THAT(printText(P, {}, {}), Not(HasSubstr("≤")));
}

TEST(SiteText, ObjectsOfTwoTypesOnOneLineAreToldApart) {
  const std::string Text = printText(
      profileOf(
          readText(
              "header state=complete\nextent meta\n"
              " type index=1 id=1 size=8 name=\"Foo\"\n"
              " type index=2 id=2 size=8 name=\"Bar\"\n"
              " site id=1 type=1 kind=new file=\"a.cpp\" line=1 column=9\n"
              " site id=2 type=2 kind=new file=\"a.cpp\" line=1 column=20\n"
              " site id=3 type=2 kind=new file=\"a.cpp\" line=2 column=5\n"
              " object module=1 cell=0 type=1 class=\"Foo\" "
              "event=constructed storage=heap file=\"a.cpp\" line=1\n"
              " object module=1 cell=1 type=1 class=\"Foo\" "
              "event=destroyed\n"
              " object module=1 cell=2 type=2 class=\"Bar\" "
              "event=constructed storage=heap file=\"a.cpp\" line=1\n"
              " object module=1 cell=3 type=2 class=\"Bar\" "
              "event=destroyed\n"
              "extent rows owner=1\n"
              " row site=1 type=1 allocations=4 bytes=32\n"
              " row site=2 type=2 allocations=3 bytes=24\n"
              " row site=3 type=2 allocations=2 bytes=16\n"
              "extent counters module=1 owner=1\n counts 4 0 5 0\n"),
          {}),
      {}, {});
  const std::string Part = section(Text, "NEVER DESTROYED");
  EXPECT_THAT(Part, ContainsRegex("Foo .*a.cpp:1:9"));
  EXPECT_THAT(Part, ContainsRegex("3 +heap +.*a.cpp:1:20\n"));
  EXPECT_THAT(Part, ContainsRegex("2 +heap +.*a.cpp:2\n"));
}

TEST(SiteText, WhereNoColumnIsKnownTheTypeIsSaid) {
  std::vector<std::string> Lines = {"f  a.cpp:1", "f  a.cpp:1", "f  a.cpp:2"};
  tellAllApart(Lines, {{0, "Foo"}, {0, "Bar"}, {0, "Foo"}});
  EXPECT_THAT(
      Lines, ElementsAre("f  a.cpp:1 (Foo)", "f  a.cpp:1 (Bar)", "f  a.cpp:2"));
}

TEST(SiteText, TheHeadKeepsTheProgramsName) {
  Profile P;
  ProcessResult &One = P.Processes.emplace_back();
  One.Pid = 1234567;
  One.DurationNs = 52'000'000;
  One.Complete = true;
  One.Command = {"/opt/vendor/lib/a-rather-long-program", "--config",
                 "/etc/rather/long.conf"};
  TextOptions Options;
  Options.Look.Width = 40;
  const auto Head = [&] {
    const std::string Text = printText(P, {}, Options);
    return Text.substr(0, Text.find("\n\n"));
  };
  EXPECT_EQ(Head(), "inmem  …/lib/a-rather-long-program …\n"
                    "  (pid 1234567 · 52.0 ms)");
  One.Command[0] = "./app";
  EXPECT_EQ(Head(), "inmem  ./app …  (pid 1234567 · 52.0 ms)");
  Options.Look.Width = 80;
  EXPECT_EQ(Head(), "inmem  ./app --config /etc/rather/long.conf  "
                    "(pid 1234567 · 52.0 ms)");
}

TEST(SiteText, BlocksOfOneTypeByWhatTheyAreCalled) {
  const Profile P = profileOf(
      readText("header state=complete\nextent meta\n"
               " type index=1 id=1 size=8 name=\"Foo\"\n"
               " site id=1 type=1 kind=new file=\"a.cpp\" line=1 column=9\n"
               " site id=2 type=1 kind=allocator "
               "function=\"std::_Vector_base<Foo, std::allocator<Foo> >::"
               "_M_allocate(unsigned long)\" "
               "file=\"/usr/include/c++/12/bits/stl_vector.h\" line=378\n"
               "extent rows owner=1\n"
               " row site=1 type=1 allocations=4 bytes=32\n"
               " row site=2 type=1 allocations=3 bytes=400\n"),
      {});
  const TypeResult *Foo = typeOf(P, "Foo");
  ASSERT_TRUE(Foo);
  ASSERT_EQ(Foo->Kinds.size(), 2u);
  EXPECT_EQ(Foo->Kinds[0].Name, "std::vector<Foo> buffer");
  EXPECT_EQ(Foo->Kinds[0].Sum.AllocatedBytes, 400u);
  EXPECT_EQ(Foo->Kinds[1].Name, "Foo");
  EXPECT_EQ(Foo->Kinds[1].Sum.LiveAllocations, 4u);
  const std::string Part = section(printText(P, {}, {}), "TYPES");
  EXPECT_THAT(Part, ContainsRegex("std::vector<Foo> buffer +400 B +.* 3 "));
  EXPECT_THAT(Part, ContainsRegex("  Foo +32 B +.* 4 "));
  // One row of JSON, which adds up to them.
  const auto Json = nlohmann::json::parse(printJson(P, View()));
  const auto &Row = Json["types"][0];
  EXPECT_EQ(Row["allocated_bytes"], 432);
  EXPECT_EQ(Row["kinds"][0]["name"], "std::vector<Foo> buffer");
  EXPECT_EQ(Row["kinds"][0]["allocated_bytes"], 400);
  EXPECT_EQ(Row["kinds"][1]["allocations"], 4);
  View Top;
  Top.Top = 1;
  EXPECT_EQ(selectTypeRows(P, Top)[0].sum().AllocatedBytes, 400u);
}
