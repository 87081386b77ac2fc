//===- TableTest.cpp - Width, whatever the text ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/Table.h"
#include "report/text/LifetimeScale.h"
#include "report/text/LocationText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

using namespace inmem::report;
using testing::HasSubstr;
using testing::Not;

namespace {

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(displayWidth("abc"), 3u);
  EXPECT_EQ(displayWidth("µs…"), 3u);
  EXPECT_EQ(displayWidth("日本"), 4u);
  EXPECT_EQ(displayWidth("\xff\xfe"), 2u);
}

TEST(CutEnd, KeepsTheFront) {
  const Style Unicode, Ascii{100, false, false};
  EXPECT_EQ(cutEnd(Unicode, "abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(cutEnd(Unicode, "abcdefghijk", 7), "abcdef…");
  EXPECT_EQ(cutEnd(Ascii, "abcdefghijk", 8), "abcdef..");
  for (size_t Width = 1; Width < 20; ++Width)
    for (const char *Text : {"ééééééééééééééééééééé", "日本日本日本日本日本"})
      EXPECT_LE(displayWidth(cutEnd(Unicode, Text, Width)), Width);
}

TEST(FitCommand, LeavesOutWholeArgumentsAndKeepsTheProgram) {
  const Style Unicode, Ascii{100, false, false};
  const std::string Command = "/usr/local/bin/server --port 8080 --verbose";
  EXPECT_EQ(fitCommand(Unicode, Command, 43), Command);
  EXPECT_EQ(fitCommand(Unicode, Command, 40),
            "/usr/local/bin/server --port 8080 …");
  EXPECT_EQ(fitCommand(Unicode, Command, 34), "/usr/local/bin/server --port …");
  EXPECT_EQ(fitCommand(Unicode, Command, 20), "…/local/bin/server …");
  EXPECT_EQ(fitCommand(Unicode, Command, 10), "…/server …");
  EXPECT_EQ(fitCommand(Ascii, Command, 17), "../bin/server ..");
  EXPECT_EQ(fitCommand(Unicode, Command, 8), "server …");
  EXPECT_EQ(fitCommand(Unicode, "./a", 2), "a");
  EXPECT_EQ(fitCommand(Unicode, "/usr/bin/anything-at-all", 8), "anythin…");
}

/// Each label has its number, begins where its step does, and touches no other.
TEST(LifetimeScale, AxisNamesWhereUnitsBegin) {
  const Style S;
  const auto Axis = [&](uint64_t First, uint64_t Last, size_t Width) {
    return LifetimeScale(Unit::Nanoseconds, First, Last, Width).axis(S);
  };
  for (size_t Width = 4; Width <= 40; ++Width)
    for (unsigned Low = 0; Low < 9; ++Low)
      for (unsigned High = Low; High < 12; ++High) {
        const std::string Text =
            Axis(static_cast<uint64_t>(std::pow(10, Low)),
                 static_cast<uint64_t>(3 * std::pow(10, High)), Width);
        std::istringstream Words(Text);
        for (std::string Word; Words >> Word;)
          EXPECT_TRUE(Word.starts_with("1") &&
                      std::isalpha(static_cast<unsigned char>(Word.back())) &&
                      std::count(Word.begin(), Word.end(), 's') == 1)
              << '\'' << Text << "' at " << Width;
      }
  EXPECT_EQ(Axis(1000, 3'000'000, 12), "1µs      1ms");
  EXPECT_EQ(Axis(1, 3'000'000'000, 10), "1ns   1ms ");
}

TEST(Printable, ShowsNothingThatATerminalObeys) {
  // Escapes, a change of direction, a line separator, a byte that is no UTF-8.
  EXPECT_EQ(printable({}, "a\x1b[1m\u202eb\u2028c\xff\u0085d"), "a?[1m?b?c??d");
  EXPECT_EQ(printable({}, "日本 µ é"), "日本 µ é");
  EXPECT_EQ(printable({100, false, false}, "µ"), "?");
}

/// A table of such lines and nothing else, without its title.
static std::string printed(std::vector<std::string> Lines, bool Level = true) {
  Table T;
  T.column(locationColumn("at"));
  if (!Level) {
    T = Table();
    Table::Column Each = locationColumn("at");
    Each.Level = nullptr;
    T.column(Each);
  }
  for (std::string &Line : Lines)
    T.row({std::move(Line)});
  const std::string Text = T.render({42}, 0);
  return Text.substr(Text.find('\n') + 1);
}
TEST(LocationColumn, CutPathsAreEquallyDeep) {
  const std::string Long = "Json::Reader::decodeDouble  "
                           "/home/me/src/lib_json/json_value.cpp:1133",
                    Short = "Json::put  /home/me/src/lib_json/json_value.cpp:9";
  EXPECT_EQ(printed({Long, Short}, false),
            "…Reader::decodeDouble  json_value.cpp:1133\n"
            "Json::put  …/src/lib_json/json_value.cpp:9\n");
  EXPECT_EQ(printed({Long, Short}),
            "…Reader::decodeDouble  json_value.cpp:1133\n"
            "Json::put  …/json_value.cpp:9\n");
  // Whole ones stay so, and also lines that would then read the same.
  EXPECT_EQ(printed({Long, "f  src/a.cpp:1"}),
            "…Reader::decodeDouble  json_value.cpp:1133\nf  src/a.cpp:1\n");
  const std::string Other = "Json::put  /home/me/new/lib_json/json_value.cpp:9";
  EXPECT_EQ(printed({Long, Short, Other}),
            printed({Long, Short, Other}, false));
}
TEST(ShortenName, OfAnyLengthTakesNoLonger) {
  std::string Nested;
  for (int I = 0; I < 40000; ++I)
    Nested += "std::vector<";
  Nested += "int" + std::string(40000, '>');
  std::string Scopes;
  for (int I = 0; I < 40000; ++I)
    Scopes += "a::";
  const Style S;
  // Each step over all of the name would take minutes.
  EXPECT_LE(displayWidth(shortenName(S, Nested, 60)), 60u);
  EXPECT_LE(displayWidth(fitLocation(S, Nested, 60)), 60u);
  EXPECT_LE(displayWidth(fitLocation(S, Scopes + "f()  x.cpp:1", 60)), 60u);
}

TEST(ShortenName, DropsInnerArgumentsFirst) {
  const Style S;
  const std::string Name = "std::map<int, std::vector<ns::Something>>";
  EXPECT_EQ(shortenName(S, Name, 41), Name);
  EXPECT_EQ(shortenName(S, Name, 40), "std::map<int, std::vector<…>>");
  EXPECT_EQ(shortenName(S, Name, 20), "map<int, vector<…>>");
  EXPECT_EQ(shortenName(S, Name, 18), "map<int, vector…>");
  EXPECT_EQ(shortenName(S, "std::vector<Point> buffer", 23),
            "vector<Point> buffer");
  // The mark of an inferred type is never cut.
  EXPECT_EQ(shortenName(S, "~std::vector<Point> buffer", 24),
            "~vector<Point> buffer");
  EXPECT_EQ(shortenName(S, "~lib::io::locked_FILE", 13), "~…locked_FILE");
  EXPECT_EQ(shortenName(S, "my_std::vector<Point> buffer", 24),
            "my_std::vector<…> buffer");
  EXPECT_EQ(shortenName(S, "std::unordered_map<long, Point> node", 22),
            "unordered_map<…> node");
  const std::string Described = "std::shared_ptr<Foo> object and control block";
  EXPECT_EQ(shortenName(S, Described, 45), Described);
  EXPECT_EQ(shortenName(S, Described, 23), "shared_ptr<Foo> object…");
  EXPECT_EQ(displayWidth(shortenName(S, Name, 6)), 6u);
  // Then namespaces; and never a middle, which makes another name of it.
  EXPECT_EQ(shortenName(S, "(anonymous namespace)::Visitor", 20), "…Visitor");
  EXPECT_EQ(shortenName(S, "ns::Index::TrieNode", 17), "…Index::TrieNode");
  const std::string Frame = "client<true>(int) coroutine frame";
  EXPECT_EQ(shortenName(S, Frame, 33), Frame);
  EXPECT_EQ(shortenName(S, Frame, 32), "client<true> coroutine frame");
  EXPECT_EQ(shortenName(S, Frame, 26), "client<true> coroutine…");
  EXPECT_EQ(shortenName(S, "run(std::pair<int, int>, int) coroutine frame", 40),
            "run coroutine frame");
  EXPECT_EQ(shortenName(S, "Task::operator()(int) const", 26),
            "…operator()(int) const");
  EXPECT_EQ(shortenName(S, "unordered container buckets", 20),
            "unordered container…");
}

// The name of a type in a container is the last to go.
TEST(ShortenName, DropsNamespacesOfArgumentsBeforeTheirNames) {
  const Style S;
  const std::string Name =
      "std::vector<trading::orderbook::detail::Price> buffer";
  EXPECT_EQ(shortenName(S, Name, 32), "vector<…detail::Price> buffer");
  EXPECT_EQ(shortenName(S, Name, 28), "vector<…Price> buffer");
  EXPECT_EQ(shortenName(S, Name, 20), "vector<…Pri…> buffer");
  EXPECT_EQ(shortenName(S, Name, 16), "vector<…> buffer");
  EXPECT_EQ(shortenName(S, "churn<trading::orderbook::detail::Node<int>>", 24),
            "churn<…detail::Node<…>>");
  EXPECT_EQ(shortenName(S, "std::map<std::string, std::vector<a::B>> node", 24),
            "map<string, …> node");
}

// Rows that differ in a name read differently, whatever figures are left out.
TEST(Table, FiguresGiveWayToNamesThatDiffer) {
  Table T;
  T.column({"class", false, true, 0, Paint::None, shortenName, 10});
  for (const unsigned Importance : {0, 1, 2, 3, 4})
    T.column({"constructed", true, false, Importance});
  for (const char *Of : {"std::string", "long", "std::vector<ns::Price>"})
    T.row({"ns::SkipListNode<" + std::string(Of) + ", int, 8>", "1", "1", "1",
           "1", "1"});
  Style S;
  S.Width = 78;
  std::istringstream Lines(T.render(S));
  std::set<std::string> Seen;
  for (std::string Line; std::getline(Lines, Line);)
    EXPECT_TRUE(Seen.insert(Line).second) << Line;
}

// The depth of a line in a tree stays, and names differ from their siblings'
// only.
TEST(Table, LinesOfATreeKeepTheirDepth) {
  Table T;
  Table::Column Calls = locationColumn("calls");
  Calls.Tree = true;
  T.column(std::move(Calls));
  for (const char *Line :
       {"main", " a::b::C<int>::run", "  std::alloc<ns::First>::allocate",
        " a::b::C<long>::run", "  std::alloc<ns::Second>::allocate",
        "  → free<ns::Second>"})
    T.row({Line});
  Style S;
  S.Width = 17;
  EXPECT_EQ(T.render(S, 0), "calls\nmain\n …C<int>::run\n  …allocate\n"
                            " …C<long>::run\n  …allocate\n"
                            "  → free<…Second>\n");
}

TEST(FitPath, KeepsLineAndColumn) {
  EXPECT_EQ(fitPath({}, "/src/leak_server.cpp:10:159", 20),
            "leak_server.…:10:159");
}

TEST(FitLocation, DropsDirectoriesThenNamespaces) {
  const Style S;
  const std::string Location =
      "a::b::Cache::put  /home/me/project/src/cache.cpp:9";
  EXPECT_EQ(fitLocation(S, Location, 60), Location);
  EXPECT_EQ(fitLocation(S, Location, 40),
            "a::b::Cache::put  …/src/cache.cpp:9");
  EXPECT_EQ(fitLocation(S, Location, 28), "…b::Cache::put  cache.cpp:9");
  EXPECT_EQ(fitLocation(S, Location, 24), "…Cache::put  cache.cpp:9");
  for (size_t Width = 8; Width < 70; ++Width)
    EXPECT_LE(displayWidth(fitLocation(S, Location, Width)), Width);
  // A path that fits stays as it is, two columns behind the function.
  EXPECT_EQ(fitLocation(S, "a::b::Cache::put<std::vector<int>>  x.cpp:9", 28),
            "a::b::Cache::put<…>  x.cpp:9");
}

TEST(FitPath, KeepsTheLineLongest) {
  const Style S, Ascii{100, false, false};
  const std::string Path = "/usr/include/c++/12/bits/hashtable_policy.h:1963";
  EXPECT_EQ(fitPath(S, Path, 30), "…/bits/hashtable_policy.h:1963");
  EXPECT_EQ(fitPath(S, Path, 23), "hashtable_policy.h:1963");
  EXPECT_EQ(fitPath(S, Path, 16), "hashtable_…:1963");
  EXPECT_EQ(fitPath(Ascii, Path, 16), "hashtable..:1963");
}

TEST(Printable, NothingReachesTheTerminalButText) {
  const Style Unicode, Ascii{100, false, false};
  EXPECT_EQ(printable(Unicode, "a\x1b[31mb\n\x7f"), "a?[31mb??");
  EXPECT_EQ(printable(Unicode, "é\xff"), "é?");
  EXPECT_EQ(printable(Unicode, "\xc2\x9b"), "?"); // C1 control
  EXPECT_EQ(printable(Unicode, "\xed\xa0\x80 \xc0\xaf"), "??? ??"); // no UTF-8
  EXPECT_EQ(printable(Ascii, "é"), "?");
}

TEST(Table, LeavesOutTheLeastImportantColumns) {
  Table T;
  T.column({"name", false, true});
  T.column({"bytes"});
  T.column({"share", true, false, 1});
  T.column({"peak", true, false, 2});
  T.row({"a-long-name-that-wants-room", "1.2 MiB", "45.6 %", "9.9 MiB"});
  EXPECT_NE(T.render({80}).find("peak"), std::string::npos);
  const std::string Narrow = T.render({40});
  EXPECT_EQ(Narrow.find("peak"), std::string::npos) << Narrow;
  EXPECT_NE(Narrow.find("share"), std::string::npos) << Narrow;
}

TEST(Table, NamesColumnsThatItLeavesOut) {
  Table T;
  T.column(
      {.Title = "name", .Right = false, .Flexible = true, .Narrowest = 24});
  T.column({"bytes"});
  T.column({"share", true, false, 1});
  T.column({.Title = "1us  1ms", .Importance = 2, .Called = "lifetimes"});
  T.row({"a-name-of-27-columns-in-all", "1.2 MiB", "45.6 %", "  #"});
  // Two in front and between each, 24 or more, 7, 6 and 8.
  EXPECT_THAT(T.render({53}), Not(HasSubstr("not shown")));
  EXPECT_THAT(T.render({53}), HasSubstr("1us"));
  EXPECT_THAT(T.render({52}),
              HasSubstr("not shown: lifetimes (at 53 characters"));
  EXPECT_THAT(T.render({52}), Not(HasSubstr("1us")));
  EXPECT_THAT(T.render({46}), HasSubstr("1 more column (at 53"));
}

// Rows of one place differ by their types alone: a figure is left out before
// the types. Where places differ, the types are left out first.
TEST(Table, KeepsTheColumnThatDistinguishesRows) {
  const auto Rendered = [](const char *Second) {
    Table T;
    T.column(
        {.Title = "place", .Right = false, .Flexible = true, .Narrowest = 12});
    T.column({.Title = "type", .Right = false, .Importance = 5, .Names = true});
    T.column({"bytes"});
    T.column({"share", true, false, 1});
    T.row({"shop.cpp:12", "a node", "1.2 MiB", "45.6 %"});
    T.row({Second, "a bucket", "1.2 MiB", "45.6 %"});
    return T.render({36});
  };
  const std::string Apart = Rendered("shop.cpp:13");
  EXPECT_THAT(Apart, Not(HasSubstr("a bucket")));
  EXPECT_THAT(Apart, HasSubstr("45.6 %"));
  const std::string Same = Rendered("shop.cpp:12");
  EXPECT_THAT(Same, HasSubstr("a bucket"));
  EXPECT_THAT(Same, Not(HasSubstr("45.6 %")));
}

// The wider of two that can be shortened is, down to what it needs; only
// then is a column left out.
TEST(Table, FlexibleColumnsShareWhatIsLeft) {
  Table T;
  T.column({.Title = "type",
            .Right = false,
            .Flexible = true,
            .Fit = cutEnd,
            .Narrowest = 10});
  T.column({"bytes"});
  T.column({.Title = "place",
            .Right = false,
            .Flexible = true,
            .Importance = 1,
            .Fit = cutEnd,
            .Narrowest = 6});
  T.row({std::string(40, 't'), "12345", std::string(20, 'p')});
  EXPECT_THAT(T.render({73}), HasSubstr(std::string(40, 't')));
  const std::string Less = T.render({53});
  EXPECT_THAT(Less, HasSubstr(std::string(20, 'p')));
  EXPECT_THAT(Less, HasSubstr(std::string(21, 't') + "…"));
  const std::string Even = T.render({43});
  EXPECT_THAT(Even, HasSubstr(std::string(15, 't') + "…"));
  EXPECT_THAT(Even, HasSubstr(std::string(15, 'p') + "…"));
  EXPECT_THAT(T.render({27}), HasSubstr("ppppp…"));
  const std::string Least = T.render({26});
  EXPECT_THAT(Least, HasSubstr("width 27"));
  EXPECT_THAT(Least, HasSubstr(std::string(16, 't') + "…"));
}

TEST(Table, NoLineIsWiderThanTheStyleSays) {
  Table T;
  T.column({"name", false, true});
  for (const char *Title : {"one", "two", "three"})
    T.column({Title});
  T.row({std::string(500, 'x'), "1234567", "1234567", "123456789"});
  T.row({"é", "1", "2", "3"});
  for (unsigned Width = 8; Width < 200; ++Width) {
    std::istringstream Lines(T.render({Width}));
    for (std::string Line; std::getline(Lines, Line);)
      EXPECT_LE(displayWidth(Line), Width) << Line;
  }
}

} // namespace
