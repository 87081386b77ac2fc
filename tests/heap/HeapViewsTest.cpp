//===- HeapViewsTest.cpp - Text, JSON, other formats, differences ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SampleHeap.h"
#include "heap/SnapshotDiff.h"
#include "heap/SnapshotViews.h"

#include "formats/perfetto.pb.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace inmem;
using namespace inmem::heap;

// Names are shortened before a column is left out.
TEST(Heap, LeaksKeepTheirColumnsInNarrowTerminals) {
  SampleHeap W;
  W.Labels[1] = "shop::catalogue::EntryOfTheThirdKind<unsigned long>";
  W.Labels[4] = "shop::catalogue::makeEntryOfTheThirdKind(unsigned long)";
  W.SiteFunction = 4;
  W.Objects = {{16}, {16, 1, {{2}}}, {16, 2}};
  W.Roots = {0};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const Analysis A = analyse(*H);
  for (const unsigned Width : {80u, 120u}) {
    const std::string Text = textOf(*H, A, {Width}, 10);
    const std::string Leaks = Text.substr(0, Text.find("TYPES"));
    for (const char *Title : {"verdict", "age", "allocated by"})
      EXPECT_NE(Leaks.find(Title), std::string::npos) << Leaks;
    EXPECT_EQ(Leaks.find("not shown"), std::string::npos) << Leaks;
  }
  std::istringstream Lines(textOf(*H, A, {.Width = 40}, 10));
  for (std::string Line; std::getline(Lines, Line);)
    EXPECT_LE(report::displayWidth(Line), 40u) << Line;
  const auto None = SampleHeap().read();
  ASSERT_TRUE(None);
  const std::string Diff =
      diffText(*None, analyse(*None), *H, A, {.Width = 60}, 10);
  EXPECT_NE(Diff.find("allocated by"), std::string::npos) << Diff;
}

TEST(Heap, LocationsBeginBelowTheirTitle) {
  SampleHeap W;
  W.Labels[4] = "makeAnEntryOfTheCatalogue()";
  W.SiteFunction = 4;
  W.Objects = {{16}, {16, 1}};
  W.Roots = {0};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  std::istringstream Lines(textOf(*H, analyse(*H), {.Width = 120}, 10));
  size_t Title = std::string::npos, Cell = std::string::npos;
  for (std::string Line; std::getline(Lines, Line);) {
    if (Title == std::string::npos)
      Title = Line.find("allocated by");
    if (Cell == std::string::npos)
      Cell = Line.find("makeAnEntry");
  }
  ASSERT_NE(Title, std::string::npos);
  EXPECT_EQ(Title, Cell);
}

// Rows of a stripped program differ in their functions alone.
TEST(Heap, AModuleWithoutLinesIsNoPartOfALocation) {
  SampleHeap W;
  W.Labels[4] = "slowlogCreateEntry";
  W.SiteFunction = 4;
  W.SiteFile = W.Labels.size();
  W.Labels.emplace_back("/usr/bin/redis-check-rdb");
  W.SiteLine = 0;
  W.Objects = {{16}, {16, 1}};
  W.Roots = {0};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const std::string Text = textOf(*H, analyse(*H), {.Width = 80}, 10);
  const std::string Leaks = Text.substr(0, Text.find("TYPES"));
  EXPECT_NE(Leaks.find("slowlogCreateEntry"), std::string::npos) << Leaks;
  EXPECT_EQ(Leaks.find("redis-check-rdb"), std::string::npos) << Leaks;
}

TEST(Heap, TheReasonsOfAPartialSnapshotAreThoseOfItsFlags) {
  SampleHeap W;
  using Reasons = std::vector<std::string>;
  for (const auto &[Flags, Expected] :
       std::vector<std::pair<uint64_t, Reasons>>{
           {0, {}},
           {kFlagSampled, {"sampled"}},
           {kFlagFiltered, {"filtered"}},
           {kFlagStopped, {"recording was off for a while"}}}) {
    W.Flags = Flags;
    const auto H = W.read();
    ASSERT_TRUE(H) << H.status().str();
    EXPECT_EQ(whyPartial(*H), Expected) << Flags;
  }
}

// A snapshot from before callers were recorded shows the library's line.
TEST(Heap, SitesOfLibrariesShowTheirCallers) {
  SampleHeap W;
  W.Labels = {
      "",        "Foo",
      "Bar",     "next",
      "lib.h",   "use()",
      "app.cpp", "std::vector<Foo, std::allocator<Foo>>::_M_grow<int>(int)"};
  W.SiteFunction = 7;
  W.Objects = {{16}, {16, 1}};
  W.Roots = {0};
  W.Callers = {{1, 5, 6, 12, 4}};
  for (const bool Older : {true, false}) {
    W.HeaderBytes = Older ? offsetof(Header, Callers) : sizeof(Header);
    const auto H = W.read();
    ASSERT_TRUE(H) << H.status().str();
    const auto J = nlohmann::json::parse(jsonOf(*H, analyse(*H), 0));
    const auto &Leak = J["leaks"][0];
    EXPECT_EQ(Leak["site"]["line"], 7);
    EXPECT_EQ(Leak.contains("caller"), !Older);
    if (Older)
      continue;
    EXPECT_EQ(Leak["caller"]["function"], "use()");
    EXPECT_EQ(Leak["caller"]["line"], 12);
    EXPECT_EQ(locationOf(*H, 1), "use at app.cpp:12  [_M_grow]");
  }
  // A site that is not in the snapshot.
  W.Callers = {{2, 5, 6, 12, 4}};
  EXPECT_TRUE(W.read());
  W.Callers = {{1, 99, 6, 12, 4}};
  EXPECT_FALSE(W.read());
}

TEST(Heap, DiffsTheWrongWayRoundKnowWhatStayed) {
  SampleHeap W;
  W.Objects = {{16, 1}, {24, 1}};
  W.Roots = {0, 1};
  auto Early = W.read(), Late = W.read();
  ASSERT_TRUE(Early && Late);
  Early->Header.UnixNs = 1000;
  Late->Header.UnixNs = 2000000;
  for (uint64_t &Age : Early->AgeUs)
    Age = 1;
  const Analysis A = analyse(*Early);
  EXPECT_TRUE(compare(*Late, A, *Early, A).New.empty());
}

TEST(Heap, PagesHaveTheNamesOfReports) {
  SampleHeap W;
  W.Labels[1] = "std::_Rb_tree_node<std::pair<const int, Foo>>";
  W.Labels[2] = "Bar *";
  W.Objects = {{100, 1, {}, 77}, {100, 1, {}, 77}, {16, 2}};
  W.Roots = {0, 1, 2};
  // in the first object, of a name that reports shorten
  W.Labels.push_back("std::basic_string<char>");
  W.Containers = {{1, 3, 5, 10, 20, 8, 0}};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const report::Json Page = pageOf(*H, analyse(*H));
  EXPECT_EQ(Page["aliases"],
            (report::Json{{"std::_Rb_tree_node<std::pair<const int, Foo>>",
                           "std::map<int, Foo> node"},
                          {"std::basic_string<char>", "std::string"}}));
}

TEST(Heap, TypesHaveTheNamesOfReports) {
  EXPECT_EQ(shownType("std::_Rb_tree_node<std::pair<const int, Foo>>"),
            "std::map<int, Foo> node");
  EXPECT_EQ(shownType("std::basic_string<char>"), "std::string");
  EXPECT_EQ(shownType(""), "(unknown type)");
}

TEST(Heap, JsonAndChrome) {
  SampleHeap W;
  W.Objects = {{16, 1, {{1, 3}}}, {32, 2}, {64, 1}};
  W.Roots = {0};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const Analysis A = analyse(*H);
  const auto J = nlohmann::json::parse(jsonOf(*H, A, 0));
  EXPECT_EQ(J["schema"], "inmem-heap/1");
  EXPECT_EQ(J["totals"]["unreachable_bytes"], 64);
  EXPECT_EQ(J["leaks"][0]["type"], "Foo");
  EXPECT_EQ(J["leaks"][0]["site"]["line"], 7);
  for (size_t Most : {0, 1}) {
    const auto C = nlohmann::json::parse(chromeOf(*H, A, Most));
    const size_t Nodes = C["nodes"].size() / 7, Edges = C["edges"].size() / 3;
    EXPECT_EQ(C["snapshot"]["node_count"], Nodes);
    EXPECT_EQ(C["snapshot"]["edge_count"], Edges);
    uint64_t Bytes = 0, Counted = 0;
    for (size_t I = 0; I < Nodes; ++I) {
      Bytes += C["nodes"][I * 7 + 3].get<uint64_t>();
      Counted += C["nodes"][I * 7 + 4].get<uint64_t>();
      EXPECT_LT(C["nodes"][I * 7 + 1], C["strings"].size());
    }
    EXPECT_EQ(Bytes, 112u);
    EXPECT_EQ(Counted, Edges);
  }
}

TEST(Heap, DiffSaysWhatCame) {
  SampleHeap Old, New;
  Old.Objects = {{16, 1, {{1}}}, {32, 2}};
  Old.Roots = New.Roots = {0};
  New.Objects = {{16, 1, {{1}, {2}}}, {32, 2}, {100, 2}};
  const auto A = Old.read(), B = New.read();
  ASSERT_TRUE(A && B);
  const HeapDiff D = compare(*A, analyse(*A), *B, analyse(*B));
  EXPECT_EQ(D.Objects, 1);
  EXPECT_EQ(D.Bytes, 100);
  ASSERT_EQ(D.New.size(), 1u);
  EXPECT_EQ(D.New[0].Bytes, 100u);
  ASSERT_EQ(D.Holders.size(), 1u);
  EXPECT_EQ(D.Holders[0].Retained, 100);
  EXPECT_EQ(D.Types[0].Type, "Bar");
}

// An address alone says little: the allocator gives it to another block.
TEST(Heap, AnotherBlockAtTheSameAddressIsNew) {
  SampleHeap Old, New;
  Old.Objects = {{16, 1}, {16, 1}, {16, 1}, {16, 1}, {16, 1}};
  New.Objects = {{16, 1},
                 {20, 1},               // of another size
                 {16, 2},               // type
                 {16, 1, {}, 0, 2},     // site
                 {16, 1, {}, 0, 1, 2}}; // too young
  Old.Roots = New.Roots = {0};
  auto A = Old.read(), B = New.read();
  ASSERT_TRUE(A && B);
  B->Header.UnixNs = 1000000;
  const HeapDiff D = compare(*A, analyse(*A), *B, analyse(*B));
  uint64_t Objects = 0, Bytes = 0;
  for (const Newcomers &N : D.New) {
    Objects += N.Objects;
    Bytes += N.Bytes;
  }
  EXPECT_EQ(Objects, 4u);
  EXPECT_EQ(Bytes, 20u + 3 * 16u);
}

TEST(Heap, DiffsHaveTheSameAsJson) {
  SampleHeap Old, New;
  Old.Objects = {{16, 1, {{1, 3}}}, {32, 2}};
  Old.Roots = New.Roots = {0};
  New.Labels.push_back("make()");
  New.SiteFunction = 5;
  New.Objects = {{16, 1, {{1, 3}, {2, 3}}}, {32, 2}, {100, 2}};
  const auto A = Old.read(), B = New.read();
  ASSERT_TRUE(A && B);
  const auto J =
      nlohmann::json::parse(diffJson(*A, analyse(*A), *B, analyse(*B), 0));
  EXPECT_EQ(J["schema"], "inmem-heap-diff/1");
  EXPECT_EQ(J["totals"],
            (nlohmann::json{
                {"objects", 1}, {"bytes", 100}, {"unreachable_bytes", 0}}));
  EXPECT_EQ(J["types"], (nlohmann::json{{{"type", "Bar"},
                                         {"objects", 1},
                                         {"bytes", 100},
                                         {"retained_bytes", 100}},
                                        {{"type", "Foo"},
                                         {"objects", 0},
                                         {"bytes", 0},
                                         {"retained_bytes", 100}}}));
  EXPECT_EQ(J["dominators"],
            (nlohmann::json{{{"type", "Foo"},
                             {"address", 0x1000},
                             {"retained_bytes", 100},
                             {"path", "global libx.so+0x40"}}}));
  EXPECT_EQ(J["new"], (nlohmann::json{{{"type", "Bar"},
                                       {"objects", 1},
                                       {"bytes", 100},
                                       {"place", "make"}}}));
}

// A packet of some objects each: what a reader takes in one step is bounded.
TEST(Heap, PerfettosGraphIsInPacketsOfManyObjects) {
  SampleHeap W;
  W.Objects = {{16, 1, {{1, 3}, {2, 3, EdgeKind::Weak}}}, {32, 2}, {64}};
  W.Roots = {0};
  W.Stack = {2};
  perfetto::Trace Small;
  ASSERT_TRUE(Small.ParseFromString(perfettoOf(*W.read())));
  ASSERT_EQ(Small.packet_size(), 2); // the process's track, and the graph
  const perfetto::HeapGraph &G = Small.packet(1).heap_graph();
  EXPECT_FALSE(G.continued());
  EXPECT_EQ(G.roots_size(), 2);
  ASSERT_EQ(G.objects_size(), 3);
  EXPECT_EQ(G.objects(1).self_size(), 32u);
  ASSERT_EQ(G.objects(0).reference_object_id_size(), 1);
  EXPECT_EQ(G.objects(0).reference_object_id(0), G.objects(1).id());

  W.Objects.assign(40001, {16, 2});
  perfetto::Trace Large;
  ASSERT_TRUE(Large.ParseFromString(perfettoOf(*W.read())));
  ASSERT_EQ(Large.packet_size(), 4);
  for (int I = 0; I < 3; ++I) {
    const perfetto::HeapGraph &Part = Large.packet(I + 1).heap_graph();
    EXPECT_EQ(Part.index(), uint64_t(I));
    EXPECT_EQ(Part.continued(), I < 2);
    EXPECT_EQ(Part.objects_size(), I < 2 ? 20000 : 1);
  }
}
