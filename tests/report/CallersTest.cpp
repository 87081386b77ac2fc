//===- CallersTest.cpp - Library sites that several callers share ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ProfileOf.h"

#include "report/compare/Check.h"
#include "report/compare/CheckReport.h"
#include "report/compare/Diff.h"
#include "report/findings/Findings.h"
#include "report/formats/PageData.h"
#include "report/formats/Reports.h"
#include "report/model/LibraryCode.h"
#include "report/model/ShownNames.h"
#include "report/text/LocationText.h"
#include "report/text/TextReport.h"
#include "support/SampleTrace.h"

#include <cstring>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

using namespace inmem;
using namespace inmem::report;
using inmem::test::readText;
using testing::HasSubstr;
using testing::Not;

namespace {

/// `_M_realloc_insert` for run() (20 blocks) and for find() (10 blocks), and
/// find() inline.
std::string shared(unsigned Line, unsigned OfFind) {
  return R"(
header state=complete pid=7 clock=exact ticks-per-second=1000000000
extent meta
  thread index=1 tid=70 name="main"
  type index=1 id=0x11 size=8 name="int"
  site id=1 type=1 key=0x101 kind=allocator function="_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvv" file="/usr/include/c++/12/bits/vector.tcc" line=453 column=2
  site id=4 type=1 key=0x102 kind=new function="find" file="src/term.cpp" line=9 column=3
  module id=1 base=0x1000 path="/bin/app"
  address id=1 module=1 offset=16 function="run"
  address id=2 module=1 offset=32 function="find"
  address id=3 module=1 offset=48 function="_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvv"
  stack id=1 address=1
  stack id=2 address=2
  stack id=3 parent=1 address=3
  stack id=4 parent=2 address=3
  stacked-site id=2 site=1 stack=3
  stacked-site id=3 site=1 stack=4
  symbol address=1
    frame function="run" file="src/query.cpp" line=)" +
         std::to_string(Line) + R"(
  symbol address=2
    frame function="find" file="src/term.cpp" line=52
extent rows owner=1
  row site=2 type=1 allocations=20 bytes=160 frees=20 freed-bytes=160
  row site=3 type=1 allocations=)" +
         std::to_string(OfFind) + " bytes=" + std::to_string(OfFind * 8) +
         " frees=4 freed-bytes=32\n  row site=4 type=1 allocations=1 bytes=8\n";
}

Profile profile(unsigned Line = 7, unsigned OfFind = 10) {
  return profileOf(readText(shared(Line, OfFind)), {});
}

const SiteResult *siteFor(const Profile &P, std::string_view Function) {
  for (const SiteResult &S : P.Sites)
    if (S.Caller && S.Caller->Function == Function)
      return &S;
  return nullptr;
}

View sites() {
  View V;
  V.Tables = {By::Type, By::Site};
  return V;
}

} // namespace

TEST(Callers, EachHasARowWithItsOwnFigures) {
  const Profile P = profile();
  ASSERT_EQ(P.Sites.size(), 3u);
  const SiteResult *Run = siteFor(P, "run"), *Find = siteFor(P, "find");
  ASSERT_TRUE(Run && Find);
  EXPECT_EQ(Run->Sum.Allocations, 20u);
  EXPECT_EQ(Find->Sum.Allocations, 10u);
  EXPECT_EQ(Find->Sum.LiveBytes, 48u);
  EXPECT_EQ(Run->Caller->Line, 7u);
  EXPECT_EQ(locationOf(*Find).File, "src/term.cpp");
  EXPECT_EQ(Find->Where.Line, 453u);
  uint64_t Bytes = 0;
  for (const SiteResult &S : P.Sites)
    Bytes += S.Sum.AllocatedBytes;
  EXPECT_EQ(Bytes, P.Totals.AllocatedBytes);
  // A site of the user's own has no caller.
  EXPECT_FALSE(P.Sites[2].Caller);
  EXPECT_FALSE(isInLibrary(P.Sites[2]));
}

TEST(Callers, TextJsonCsvAndMarkdownAgree) {
  const Profile P = profile();
  TextOptions Wide;
  Wide.Look.Width = 140;
  const std::string Text = printText(P, sites(), Wide);
  EXPECT_THAT(Text, HasSubstr("run  src/query.cpp:7 [_M_realloc_insert]"));
  EXPECT_THAT(Text, HasSubstr("find  src/term.cpp:52 [_M_realloc_insert]"));
  EXPECT_THAT(Text, Not(HasSubstr("vector.tcc:453")));
  const auto Json = nlohmann::json::parse(printJson(P, sites()));
  const auto &Sites = Json["types"][0]["sites"];
  ASSERT_EQ(Sites.size(), 3u);
  EXPECT_EQ(Sites[0]["line"], 453);
  EXPECT_EQ(Sites[0]["caller"]["function"], "run");
  EXPECT_EQ(Sites[0]["caller"]["line"], 7);
  EXPECT_EQ(Sites[1]["caller"]["file"], "src/term.cpp");
  EXPECT_EQ(Sites[1]["allocations"], 10);
  EXPECT_FALSE(Sites[2].contains("caller"));
  View OnlySites;
  OnlySites.Tables = {By::Site};
  const std::string Csv = printCsv(P, OnlySites);
  EXPECT_THAT(Csv, HasSubstr("caller_function,caller_file,caller_line"));
  EXPECT_THAT(Csv, HasSubstr("find,src/term.cpp,52,"));
  EXPECT_THAT(printMarkdown(P, OnlySites, "a.inmem"),
              HasSubstr("src/query.cpp:7"));
}

TEST(Callers, AGlobFindsASiteByItsCaller) {
  ProfileOptions Options;
  Options.SiteGlobs = {"query.cpp:7"};
  const Profile P = profileOf(readText(shared(7, 10)), Options);
  ASSERT_EQ(P.Sites.size(), 1u);
  EXPECT_EQ(P.Sites[0].Sum.Allocations, 20u);
}

TEST(Callers, WithoutStacksTheCallerIsNull) {
  const Profile P = profileOf(
      readText("header state=complete\nextent meta\n type index=1 id=1 size=8 "
               "name=int\n site id=1 type=1 kind=allocator function=\"f\" "
               "file=\"/usr/include/c++/12/x.h\" line=3\nextent rows owner=1\n "
               "row site=1 allocations=1 bytes=8\n"),
      {});
  EXPECT_TRUE(isCallerUnknown(P.Sites[0]));
  const auto Json = nlohmann::json::parse(printJson(P, sites()));
  EXPECT_TRUE(Json["types"][0]["sites"][0].at("caller").is_null());
}

TEST(Callers, AllAreKnownIfTheSiteOnlyHandsOutMemory) {
  struct Resolver : CallerResolver {
    std::optional<SourceLocation> resolve(std::string_view, std::string_view,
                                          uint64_t, uint64_t) override {
      return std::nullopt;
    }
    std::vector<SourceLocation> expand(std::string_view, std::string_view,
                                       uint64_t Offset) override {
      if (Offset == 0x10)
        return {{"_ZNSt6vectorIiSaIiEE7reserveEm", "v.h", 5, 0}};
      if (Offset == 0x20)
        return {{"_Z1fv", "a.cpp", 7, 0}};
      return {};
    }
  } R;
  ProfileOptions Options;
  Options.Resolver = &R;
  const auto CallersIn = [&](std::string_view Allocator) {
    const std::string Text =
        "header\nextent meta\n module id=1 path=\"/app\"\n"
        " site id=1 kind=new function=\"" +
        std::string(Allocator) +
        "\" file=\"/usr/include/c++/12/bits/a.h\" line=3\n"
        " called-site id=2 site=1 function=\"_Z1fv\" file=\"a.cpp\" "
        "line=7\n"
        " caller-call id=2 module=1 offset=0x10\n"
        " caller-call id=2 module=1 offset=0x20\n"
        "extent rows owner=1\n row site=2 allocations=1 bytes=1\n";
    const Profile P = profileOf(readText(Text), Options);
    std::string Out;
    for (const SourceLocation &At : P.Sites.at(0).Callers)
      Out += At.Function + ';';
    return Out;
  };
  EXPECT_EQ(CallersIn("_ZNSt12_Vector_baseIiSaIiEE11_M_allocateEm"),
            "std::vector<int, std::allocator<int> >::reserve(unsigned "
            "long);f();");
  EXPECT_EQ(CallersIn("_ZNSt6vectorIiSaIiEE5beginEv"), "");
}

TEST(Callers, BracketsGoFirstAndStayWhereTheyTellApart) {
  Style S;
  SiteResult A;
  A.Where = {"std::vector<int>::_M_realloc_insert<int>", "/usr/v.tcc", 453, 2};
  A.Caller = {"atlas::Query::run", "src/Query.cpp", 52, 0};
  EXPECT_EQ(siteText(S, A),
            "atlas::Query::run  src/Query.cpp:52  [_M_realloc_insert]");
  EXPECT_EQ(fitLocation(S, siteText(S, A), 40),
            "atlas::Query::run  src/Query.cpp:52");
  SiteResult B = A;
  B.Where.Function = "std::operator<< <char>";
  EXPECT_THAT(siteText(S, B), HasSubstr("[operator<<"));
  std::vector<std::string> Lines = {siteText(S, A), siteText(S, B)};
  Profile P;
  P.Types.emplace_back();
  tellApart(Lines, P, {&A, &B});
  EXPECT_EQ(Lines[0],
            "atlas::Query::run  src/Query.cpp:52 [_M_realloc_insert]");
  EXPECT_NE(fitLocation(S, Lines[0], 48), fitLocation(S, Lines[1], 48));
}

TEST(Callers, DiffMatchesByCallerWhateverItsLine) {
  const Diff D = compare(profile(7, 10), profile(9, 13));
  size_t Changed = 0;
  for (const DiffRow &R : D.Sites)
    if (R.changed()) {
      ++Changed;
      EXPECT_EQ(R.Name, "find");
      EXPECT_EQ(R.New.Locations[0].Line, 52u);
    }
  EXPECT_EQ(Changed, 1u);
}

TEST(Callers, OfARunWithItselfNothingChanged) {
  View V;
  V.Tables = {By::Type, By::Site};
  EXPECT_THAT(printDiffText(compare(profile(), profile()), V, {}),
              HasSubstr("\nnothing changed\n"));
  EXPECT_THAT(printDiffText(compare(profile(), profile(7, 11)), V, {}),
              Not(HasSubstr("nothing else changed")));
}

namespace {

Verdict broken(const char *Text, const Profile *Old, Profile New) {
  static Budget B;
  static CheckResult R;
  static RunProfile Run;
  B = *parseBudget(Text, "b.toml");
  Run = {"new", std::move(New), {}};
  R = check(B, std::span(&Run, 1),
            Old ? std::span(Old, 1) : std::span<const Profile>(), {});
  for (const Verdict &V : R.Runs[0].All)
    if (!V.holds())
      return V;
  ADD_FAILURE() << "nothing is broken";
  return {};
}

} // namespace

TEST(Evidence, IsTheUsersLine) {
  const Verdict V =
      broken("schema = \"inmem-budget/1\"\n[totals]\nblocks = 1\n", nullptr,
             profile());
  ASSERT_EQ(V.From.size(), 3u);
  EXPECT_EQ(V.From[0].Where.File, "src/query.cpp");
  EXPECT_EQ(V.From[0].Value, 20u);
}

TEST(Evidence, WithABaselineWhatGrewComesFirst) {
  const Profile Old = profile(7, 10);
  const Verdict V =
      broken("schema = \"inmem-budget/1\"\n[totals]\nblocks = 1\n", &Old,
             profile(8, 15));
  ASSERT_EQ(V.From.size(), 1u); // run() has more, and did not change.
  EXPECT_EQ(V.From[0].Where.Function, "find");
  EXPECT_EQ(V.From[0].Before, 10u);
  EXPECT_EQ(V.From[0].Value, 15u);
}

TEST(Evidence, NothingIsAnnotatedOutsideOfTheRepository) {
  Budget B = *parseBudget("schema = \"inmem-budget/1\"\n[totals]\nblocks = 1\n",
                          "b.toml");
  RunProfile Run{"new", profile(), {}};
  CheckResult R = check(B, std::span(&Run, 1));
  EXPECT_THAT(printGithub(R, "/home/me/p"), HasSubstr("file=src/query.cpp"));
  for (Contributor &C : R.Runs[0].All[0].From)
    C.Where.File = "/usr/include/c++/12/bits/vector.tcc";
  EXPECT_THAT(printGithub(R, "/home/me/p"), HasSubstr("file=b.toml,line=3"));
  EXPECT_THAT(printSarif(R, "/home/me/p"), Not(HasSubstr("vector.tcc\"")));
  for (Contributor &C : R.Runs[0].All[0].From)
    C.Where.File = "/elsewhere/x.cpp";
  EXPECT_THAT(printGithub(R, "/home/me/p"), Not(HasSubstr("file=/elsewhere")));
  R.Runs[0].All[0].From[1].Where.File = "/home/me/p/src/y.cpp";
  EXPECT_THAT(printGithub(R, "/home/me/p"), HasSubstr("file=src/y.cpp"));
}

/// The head of a page's data.
static nlohmann::json headOf(const std::string &Data) {
  std::string Plain(size_t{1} << 20, '\0');
  uLongf Size = Plain.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef *>(Plain.data()), &Size,
                       reinterpret_cast<const Bytef *>(Data.data()),
                       Data.size()),
            Z_OK);
  uint32_t Length = 0;
  std::memcpy(&Length, Plain.data(), sizeof Length);
  return nlohmann::json::parse(Plain.substr(sizeof Length, Length));
}

TEST(ShownNames, TextPageAndJsonCallOneThingByOneName) {
  struct Row {
    const char *Type, *Function, *Shown;
  };
  constexpr Row kRows[] = {
      {"char",
       "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutate"
       "EmmPKcm",
       "std::string buffer"},
      {"std::basic_string<char>",
       "_ZNSt12_Vector_baseINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"
       "ESaIS5_EE11_M_allocateEm",
       "std::vector<std::string> buffer"},
      {"Foo", "_Z4makei", "Foo"}};
  for (const Row &R : kRows) {
    const Profile P = profileOf(
        readText(
            "header state=complete\nextent meta\n type index=1 id=1 size=8 "
            "name=\"" +
            std::string(R.Type) +
            "\"\n site id=1 type=1 kind=allocator function=\"" + R.Function +
            "\" file=\"/usr/include/c++/12/x.h\" line=3\n frame "
            "function=\"f\" file=\"a.cpp\" line=4\nextent rows owner=1\n "
            "row site=1 allocations=900 bytes=90000\n"),
        {});
    EXPECT_EQ(shownType(P.Types[0]), R.Shown);
    EXPECT_EQ(shownBlocks(P, P.Sites[0]), R.Shown);
    TextOptions Wide;
    Wide.Look.Width = 160;
    const std::string Text = printText(P, sites(), Wide);
    EXPECT_THAT(Text, HasSubstr("\n  " + std::string(R.Shown) + "  ")) << Text;
    const auto Json = nlohmann::json::parse(printJson(P, sites()));
    const auto &Site = Json["types"][0]["sites"][0];
    EXPECT_EQ(Site["alias"].is_null() ? Json["types"][0]["type"]
                                      : Site["alias"],
              R.Shown);
    const Verdict V = broken("schema = \"inmem-budget/1\"\n[totals]\nblocks = "
                             "1\n",
                             nullptr, P);
    EXPECT_EQ(V.From.at(0).Type, R.Shown);
    const PageSide Side{P, {}, "app"};
    const auto Page = headOf(pageData({&Side, 1}, nullptr, {}))["sides"][0];
    EXPECT_EQ(Page["aliases"][0], R.Shown);
    // A site's type, by the number of its text.
    EXPECT_THAT(Page["strings"], testing::Contains(R.Shown));
  }
}

TEST(Advice, OneFindingForTheBlocksOfAPlaceThatSaysWhatItSaves) {
  const Profile P = profileOf(
      readText(
          "header state=complete\nextent meta\n type index=1 id=1 size=1 "
          "name=\"char\"\n site id=1 type=1 kind=allocator "
          "function=\"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_"
          "mutateEmmPKcm\" file=\"/usr/include/c++/12/x.h\" line=3\n frame "
          "function=\"f\" file=\"a.cpp\" line=4\nextent rows owner=1\n row "
          "site=1 "
          "allocations=1000 bytes=25000 frees=1000 freed-bytes=25000 "
          "temporary=1000\n"),
      {});
  const auto All = findingsOf(P, 9);
  ASSERT_EQ(All.size(), 1u); // Both string-above-inline and temporary fit.
  EXPECT_EQ(nameOf(All[0].Rule), "string-above-inline");
  const std::string Text = printText(P, {}, {});
  EXPECT_THAT(Text, HasSubstr("saves 1000 blocks = 100 %, 24.4 KiB = 100 %"));
}

TEST(Advice, LinesOfSourceAreShownIfTheFileIsThere) {
  const Profile P = profileOf(
      readText("header state=complete\nextent meta\n type index=1 id=1 size=40 "
               "name=Foo\n site id=1 type=1 kind=new function=f file=a.cpp "
               "line=2\nextent rows owner=1\n row site=1 allocations=1000 "
               "bytes=40000 frees=1000 freed-bytes=40000 temporary=1000\n"),
      {});
  TextOptions Options;
  Options.Source = [](const std::string &File) {
    return File == "a.cpp"
               ? SourceText{"void f() {\n\tdelete new Foo;\n}\n", {}}
               : SourceText{std::nullopt, "no such file"};
  };
  EXPECT_THAT(printText(P, {}, Options),
              HasSubstr("    1 │ void f() {\n        ▸     2 │     delete new "
                        "Foo;\n              3 │ }\n"));
  Options.Source = [](const std::string &) {
    return SourceText{std::nullopt, "no such file"};
  };
  EXPECT_THAT(printText(P, {}, Options),
              HasSubstr("(source not shown: no such file)\n"));
  EXPECT_THAT(printText(P, {}, {}), Not(HasSubstr("delete new")));
}

TEST(Advice, NoneSaysWhy) {
  const Profile P = profileOf(
      readText("header state=complete\nextent meta\n type index=1 id=1 size=8 "
               "name=int\n site id=1 type=1 kind=allocator function=\"f\" "
               "file=\"/usr/include/c++/12/x.h\" line=3\nextent rows owner=1\n "
               "row site=1 allocations=1 bytes=8 frees=1 freed-bytes=8\n"),
      {});
  EXPECT_THAT(printText(P, {}, {}), HasSubstr("none: no rule found"));
  EXPECT_THAT(printMarkdown(P, {}, "a.inmem"),
              HasSubstr("\n#### Findings\n\nnone: no rule found"));
  View Off;
  Off.Findings = 0;
  EXPECT_THAT(printMarkdown(P, Off, "a.inmem"), Not(HasSubstr("Findings")));
  TextOptions Wide;
  Wide.Look.Width = 200;
  EXPECT_THAT(printText(P, {}, Wide),
              HasSubstr("100 % of the bytes are library code's: "
                        "INMEM_OPTIONS=stacks=16"));
}

TEST(Columns, NamesThatDifferStayApart) {
  Table T;
  T.column({"type", false, true, 0, Paint::None, shortenName, 10});
  T.column({"n"});
  for (const char *Name : {"basic_file_sink", "ansicolor_sink", "null_sink"})
    T.row({"std::shared_ptr<spdlog::sinks::" + std::string(Name) +
               "<std::mutex>> object and control block",
           "1"});
  Style S;
  S.Width = 30;
  const std::string Text = T.render(S);
  EXPECT_THAT(Text, HasSubstr("…basic_file"));
  EXPECT_THAT(Text, HasSubstr("…ansicolor"));
  EXPECT_THAT(Text, HasSubstr("…null_sink"));
}
