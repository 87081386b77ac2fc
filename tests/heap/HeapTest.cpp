//===- HeapTest.cpp - Snapshots made by hand, and damaged ones ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/Diff.h"
#include "heap/Views.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

using namespace inmem;
using namespace inmem::heap;

namespace {

/// A snapshot as runtime/heap writes it.
class HeapWriter {
public:
  struct Edge {
    uint32_t To, Label = 0;
    EdgeKind Kind = EdgeKind::Pointer;
  };
  struct Object {
    uint64_t Size = 16;
    uint32_t Type = 0; ///< +1
    std::vector<Edge> Edges = {};
    uint64_t Hash = 0;
  };
  std::vector<Object> Objects;
  std::vector<uint32_t> Roots;
  std::vector<std::string> Labels = {"", "Foo", "Bar", "next", "libx.so"};
  std::vector<uint32_t> Stack; ///< roots, too
  std::vector<std::array<uint64_t, 7>> Containers, Held;
  std::vector<std::array<uint64_t, 6>> Variables;
  std::vector<std::array<uint64_t, 4>> Named;
  uint64_t FirstAddress = 0x1000, Flags = 0;
  uint64_t SiteFunction = 0; ///< label
  uint32_t HeaderBytes = sizeof(Header);

  std::vector<std::byte> bytes() {
    Header H = {};
    std::memcpy(H.Magic, kMagic, sizeof kMagic);
    H.Version = kVersion;
    H.HeaderBytes = HeaderBytes;
    H.Flags = Flags;
    Out.assign(sizeof H, 0);
    H.Objects = {Out.size(), Objects.size()};
    for (size_t I = 0; I < Objects.size(); ++I) {
      const Object &O = Objects[I];
      numbers({I ? 0x1000u / 8 : FirstAddress / 8, O.Size, 1, O.Type, 0});
      numbers({O.Hash != 0});
      if (O.Hash)
        Out.append(reinterpret_cast<const char *>(&O.Hash), 8);
      numbers({O.Edges.size()});
      for (const Edge &E : O.Edges) {
        const int64_t Far = int64_t{E.To} - static_cast<int64_t>(I);
        numbers(
            {static_cast<uint64_t>(Far) << 1 ^ static_cast<uint64_t>(Far >> 63),
             uint64_t{E.Label} << 3 | static_cast<uint64_t>(E.Kind)});
        ++H.Edges;
      }
    }
    H.Roots = {Out.size(), Roots.size() + Stack.size()};
    for (uint32_t R : Stack)
      numbers({1, 4, 0x7000, R});
    for (uint32_t R : Roots)
      numbers({0, 4, 0x40, R});
    H.Variables = write(Variables);
    H.Named = write(Named);
    H.Held = write(Held);
    H.Containers = {Out.size(), Containers.size()};
    for (const auto &C : Containers)
      for (uint64_t N : C)
        numbers({N});
    H.Adopted = {Out.size(), 0};
    H.Sites = {Out.size(), 1};
    numbers({1, 0, SiteFunction, 0, 7, 3, 1});
    H.Types = {Out.size(), 2};
    // Foo { char, pointer, char }, and Bar without members.
    numbers({1, 24, 8, 8, 3});
    numbers({1, 0, 0, 1, 0, 0, 3, 0, 8, 8, 1, 0, 2, 0, 16, 1, 0, 0});
    numbers({2, 16, 8, 8, 0});
    H.Labels = {Out.size(), Labels.size()};
    for (const std::string &L : Labels) {
      numbers({L.size()});
      Out += L;
    }
    H.FileBytes = Out.size();
    std::memcpy(Out.data(), &H, sizeof H);
    std::vector<std::byte> Result(Out.size());
    std::memcpy(Result.data(), Out.data(), Out.size());
    return Result;
  }
  trace::Result<Heap> read() {
    return readHeap(trace::Buffer::fromBytes(bytes(), "made.heap"));
  }

private:
  template <size_t N>
  Section write(const std::vector<std::array<uint64_t, N>> &Records) {
    const Section Result = {Out.size(), Records.size()};
    for (const auto &Record : Records)
      for (uint64_t Number : Record)
        numbers({Number});
    return Result;
  }
  void numbers(std::initializer_list<uint64_t> All) {
    for (uint64_t N : All) {
      for (; N >= 0x80; N >>= 7)
        Out += static_cast<char>(N | 0x80);
      Out += static_cast<char>(N);
    }
  }
  std::string Out;
};

uint64_t sumOf(const std::vector<Leak> &Leaks, Reach How) {
  uint64_t Objects = 0;
  for (const Leak &L : Leaks)
    if (L.How == How)
      Objects += L.Objects;
  return Objects;
}

} // namespace

// What holds its own kind is one node, and so is a cycle of two types.
TEST(Heap, HoldersAreByTypeAndEachTypeComesOnceOnAWay) {
  HeapWriter W;
  // root -> Bar -> Bar -> Bar -> Foo; root -> Foo -> Bar -> Foo -> Bar
  W.Objects = {{16, 2, {{1}}}, {16, 2, {{2}}}, {16, 2, {{3}}},
               {32, 1},        {40, 1, {{5}}}, {50, 2, {{6}}},
               {60, 1, {{7}}}, {70, 2},        {1, 0}};
  W.Roots = {0, 4, 8};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const Analysis A = analyse(*H);
  const std::vector<HeldNode> All = heldByType(*H, A, 0);
  ASSERT_EQ(All.size(), 6u);
  uint64_t Bytes = 0, Objects = 0;
  for (size_t I = 0; I < All.size(); ++I) {
    EXPECT_LE(All[I].Parent, I);
    Bytes += All[I].Bytes;
    Objects += All[I].Objects;
  }
  EXPECT_EQ(Bytes, A.Bytes);
  EXPECT_EQ(Objects, W.Objects.size());
  const auto Has = [&](std::string_view Type, uint64_t Count, uint64_t Sum) {
    return std::ranges::any_of(All, [&](const HeldNode &N) {
      return N.Type == Type && N.Objects == Count && N.Bytes == Sum;
    });
  };
  EXPECT_TRUE(Has("Bar", 3, 48));
  EXPECT_TRUE(Has("Foo", 1, 32));
  EXPECT_TRUE(Has("Foo", 2, 100));
  EXPECT_TRUE(Has("Bar", 2, 120));
  EXPECT_TRUE(Has("", 1, 1));
  // What retains less than that is part of its holder, and so of the roots.
  uint64_t OfRoots = 0, OfBars = 0;
  for (const HeldNode &N : heldByType(*H, A, 33)) {
    if (N.Parent == 0 && N.Objects == 0)
      OfRoots += N.Bytes;
    if (N.Objects == 3)
      OfBars += N.Bytes;
  }
  EXPECT_EQ(OfRoots, 1u);
  EXPECT_EQ(OfBars, 48u + 32u);
}

TEST(Heap, RetainedSizesWaysAndTypes) {
  HeapWriter W;
  // root -> 0 -> {1 -> 2, 2}; root -> 3 -> 4
  W.Objects = {{16, 2, {{1, 3}, {2, 3}}},
               {24, 1, {{2, 3}}},
               {32, 1},
               {40, 2, {{4}}},
               {48, 2}};
  W.Roots = {0, 3, 3};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const Analysis A = analyse(*H);
  EXPECT_EQ(A.Retained, (std::vector<uint64_t>{72, 24, 32, 88, 48}));
  EXPECT_EQ(A.Bytes, 160u);
  EXPECT_EQ(A.UnreachableBytes, 0u);
  EXPECT_TRUE(A.Leaks.empty());
  ASSERT_EQ(A.Types.size(), 2u);
  EXPECT_EQ(A.Types[0].Type, "Bar");
  EXPECT_EQ(A.Types[0].Retained, 160u); // 4 lies below 3, which counts once
  EXPECT_EQ(A.Types[1].Retained, 56u);
  EXPECT_EQ(wayText(*H, A, 2), "global libx.so+0x40 -> Bar.next");
  EXPECT_EQ(wayTo(A, 4).size(), 2u);
}

TEST(Heap, LeaksHoldNothingThatIsReachable) {
  HeapWriter W;
  // root -> 0 -> 1; 2 leaked -> {1, 3}
  W.Objects = {{16, 1, {{1}}}, {24}, {32, 1, {{1}, {3}}}, {40}};
  W.Roots = {0};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  EXPECT_EQ(analyse(*H).Retained, (std::vector<uint64_t>{40, 24, 72, 40}));
}

TEST(Heap, LeaksAreToldApart) {
  HeapWriter W;
  // 0 reachable; 1 -> 2 leaked; 3 <-> 4 -> 5 a cycle and what it holds
  W.Objects = {
      {16}, {16, 1, {{2}}},     {16}, {16, 1, {{4}}}, {16, 1, {{3}, {5}}},
      {16}, {16, 2, {{0}, {6}}}};
  W.Roots = {0};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const Analysis A = analyse(*H);
  EXPECT_EQ(A.UnreachableBytes, 96u);
  EXPECT_EQ(A.LeakedObjects, 6u);
  EXPECT_EQ(sumOf(A.Leaks, Reach::Unreachable), 2u); // 1, and 6 to itself
  EXPECT_EQ(sumOf(A.Leaks, Reach::OnlyItself), 1u);
  EXPECT_EQ(sumOf(A.Leaks, Reach::HeldByLeaked), 3u);
}

// The names of variables are the linker's; what their types say comes first.
TEST(Heap, RootsInVariablesHaveTheirNames) {
  HeapWriter W;
  W.Labels.insert(W.Labels.end(), {"_ZN4shop5CacheB5cxx11E", "entries[]",
                                   "entries", "std::list<Foo>", "thread 7"});
  // Cache -> 0 -> 1; 1 from the stack, too; 2 by a word in it; 3 thread-local
  W.Objects = {{16, 1, {{1, 3}}}, {32, 2}, {64, 1}, {16, 1}};
  W.Roots = {0, 2, 3};
  W.Stack = {1};
  W.Variables = {{5, 0, 4, 0x40, 100, 0}, {5, 2, 9, 0x7f00, 8, 0}};
  W.Named = {{0, 0, 6, 0}, {0, 0x11, 0, 2}, {1, 1, 0, 3}};
  W.Held = {{0, 7, 8, 1, 15, 8, 0}};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  EXPECT_EQ(H->Roots.size(), 4u);
  const Analysis A = analyse(*H);
  EXPECT_EQ(wayText(*H, A, 0), "global shop::Cache.entries[]");
  EXPECT_EQ(wayText(*H, A, 1), "global shop::Cache.entries[] -> Foo.next");
  EXPECT_EQ(wayText(*H, A, 2), "global shop::Cache+0x10");
  EXPECT_EQ(wayText(*H, A, 3), "thread-local shop::Cache of thread 7");
  ASSERT_EQ(A.Collections.size(), 1u);
  EXPECT_EQ(A.Collections[0].Owner, "shop::Cache");
  EXPECT_EQ(A.Collections[0].Field, "entries");
  EXPECT_EQ(A.Collections[0].Retained, 16u); // 1 is held by the stack, too
  ASSERT_EQ(A.SparseOnes.size(), 1u);
  EXPECT_EQ(A.SparseOnes[0].Owner, "shop::Cache");
}

// What a call has left on the stack is no reason while there is another.
TEST(Heap, WaysBeginAtStacksOnlyWhereNothingElseLeads) {
  HeapWriter W;
  // global -> 0 -> 1 -> 2; stack -> 2, 3
  W.Objects = {{16, 1, {{1, 3}}}, {16, 1, {{2, 3}}}, {16, 1}, {16, 1}};
  W.Roots = {0};
  W.Stack = {2, 3};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const Analysis A = analyse(*H);
  EXPECT_EQ(wayText(*H, A, 2), "global libx.so+0x40 -> Foo.next -> Foo.next");
  EXPECT_EQ(wayText(*H, A, 3), "stack of libx.so");
  EXPECT_EQ(A.LeakedObjects, 0u);
}

// Names are shortened before a column is left out.
TEST(Heap, LeaksKeepTheirColumnsInNarrowTerminals) {
  HeapWriter W;
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
    for (const char *Title : {"verdict", "age", "made by"})
      EXPECT_NE(Leaks.find(Title), std::string::npos) << Leaks;
    EXPECT_EQ(Leaks.find("not shown"), std::string::npos) << Leaks;
  }
  std::istringstream Lines(textOf(*H, A, {.Width = 40}, 10));
  for (std::string Line; std::getline(Lines, Line);)
    EXPECT_LE(report::displayWidth(Line), 40u) << Line;
  const auto None = HeapWriter().read();
  ASSERT_TRUE(None);
  const std::string Diff =
      diffText(*None, analyse(*None), *H, A, {.Width = 60}, 10);
  EXPECT_NE(Diff.find("made by"), std::string::npos) << Diff;
}

TEST(Heap, PartialSnapshotsTellNoLeaks) {
  HeapWriter W;
  W.Objects = {{16}, {16, 1, {{2}}}, {16}};
  W.Roots = {0};
  W.Flags = kFlagSampled | kFlagStopped;
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const Analysis A = analyse(*H);
  EXPECT_EQ(A.Bytes, 48u);
  EXPECT_EQ(A.ReachableBytes, 16u);
  EXPECT_EQ(A.LeakedObjects, 0u);
  EXPECT_TRUE(A.Leaks.empty());
  EXPECT_EQ(wayText(*H, A, 1), "not known");
  const auto J = nlohmann::json::parse(jsonOf(*H, A, 0));
  EXPECT_TRUE(J["totals"]["unreachable_bytes"].is_null());
  EXPECT_EQ(J["partial"].size(), 2u);
  const std::string Text = textOf(*H, A, {}, 10);
  EXPECT_NE(Text.find("partial (sampled, recording was off for a while)"),
            std::string::npos)
      << Text;
  EXPECT_EQ(Text.find("no leaks\n"), std::string::npos);
}

// Older ones have a header without flags.
TEST(Heap, ShorterHeadersAreWhole) {
  HeapWriter W;
  W.Objects = {{16}, {16, 1}};
  W.Roots = {0};
  W.Flags = kFlagSampled;
  W.HeaderBytes = offsetof(Header, Flags);
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  EXPECT_FALSE(H->isPartial());
  EXPECT_EQ(analyse(*H).LeakedObjects, 1u);
}

TEST(Heap, WhatIsCutShortIsCalledThat) {
  HeapWriter W;
  W.Objects = {{16, 1, {{0}}}};
  W.Roots = {0};
  const std::vector<std::byte> Whole = W.bytes();
  for (const size_t Bytes : {size_t{0}, size_t{3}, size_t{8}, size_t{100}}) {
    const auto H = readHeap(trace::Buffer::fromBytes(
        {Whole.begin(), Whole.begin() + static_cast<ptrdiff_t>(Bytes)},
        "cut.heap"));
    ASSERT_FALSE(H);
    EXPECT_NE(H.status().str().find(Bytes ? "cut heap snapshot" : "empty file"),
              std::string::npos)
        << H.status().str();
  }
  W.Objects = {{16, 1, {{7}}}};
  const auto H = W.read();
  ASSERT_FALSE(H);
  EXPECT_NE(H.status().str().find("at byte"), std::string::npos)
      << H.status().str();
}

TEST(Heap, DiffsTheWrongWayRoundKnowWhatStayed) {
  HeapWriter W;
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

TEST(Heap, DuplicatesSparseOnesAndPadding) {
  HeapWriter W;
  W.Objects = {{100, 0, {}, 77},  {100, 0, {}, 77}, {100, 0, {}, 78},
               {9000, 0, {}, 77}, {24, 1},          {48, 1}};
  W.Roots = {0, 1, 2, 3, 4, 5};
  // object +1, label, name, elements, capacity, bytes each, buckets
  W.Containers = {{5, 3, 2, 10, 100, 8, 0},
                  {5, 3, 2, 100, 100, 8, 0},
                  {6, 0, 2, 1, 0, 0, 1000},
                  // more room than the heap has bytes
                  {6, 3, 1, 10, 2000, 8, 0},
                  {6, 3, 1, 10, UINT64_MAX / 4, 8, 0}};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const Analysis A = analyse(*H);
  ASSERT_EQ(A.Duplicates.size(), 1u);
  EXPECT_EQ(A.Duplicates[0].wasted(), 100u);
  EXPECT_EQ(A.Duplicates[0].Contents, 1u);
  ASSERT_EQ(A.SparseOnes.size(), 2u);
  EXPECT_EQ(A.SparseOnes[0].Wasted, (1000u - 4) * 8);
  EXPECT_EQ(A.SparseOnes[1].Wasted, 720u);
  ASSERT_EQ(A.Paddings.size(), 1u);
  EXPECT_EQ(A.Paddings[0].BytesEach, 8u);
  EXPECT_EQ(A.Paddings[0].Objects, 3u);
  EXPECT_EQ(A.Paddings[0].Order.front(), "next");
}

// Contents of one type and size that one line made are one row.
TEST(Heap, DuplicatesOfOneLineAreAddedUp) {
  HeapWriter W;
  W.Objects = {{100, 1, {}, 77}, {100, 1, {}, 77}, {100, 1, {}, 77},
               {100, 1, {}, 78}, {100, 1, {}, 78}, {100, 1, {}, 79},
               {100, 2, {}, 80}, {100, 2, {}, 80}, {90, 1, {}, 81},
               {90, 1, {}, 81}};
  W.Roots = {0};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const Analysis A = analyse(*H);
  ASSERT_EQ(A.Duplicates.size(), 3u);
  EXPECT_EQ(A.Duplicates[0].Type, "Foo");
  EXPECT_EQ(A.Duplicates[0].Copies, 5u);
  EXPECT_EQ(A.Duplicates[0].Contents, 2u);
  EXPECT_EQ(A.Duplicates[0].wasted(), 300u);
  EXPECT_EQ(A.Duplicates[1].Type, "Bar");
  EXPECT_EQ(A.Duplicates[1].wasted(), 100u);
  EXPECT_EQ(A.Duplicates[2].Size, 90u);
  EXPECT_EQ(A.Duplicates[2].Contents, 1u);
  const auto J = nlohmann::json::parse(jsonOf(*H, A, 0));
  EXPECT_EQ(J["duplicates"][0]["contents"], 2);
  EXPECT_EQ(J["duplicates"][0]["wasted_bytes"], 300);
}

TEST(Heap, PagesHaveTheNamesOfReports) {
  HeapWriter W;
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

// Two words of a stack hold one list: neither retains it, the stack does.
TEST(Heap, RootsOfOnePlaceReachMoreThanTheyRetain) {
  HeapWriter W;
  W.Objects = {{16, 1, {{2}}}, {16, 1, {{2}}}, {1000, 2, {{3}}},
               {500, 2},       {70, 2, {{3}}}, {30, 2, {{4}}}};
  W.Stack = {0, 1};
  auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  Analysis A = analyse(*H);
  ASSERT_EQ(A.Roots.size(), 1u);
  EXPECT_EQ(A.Roots[0].Retained, 32u);
  EXPECT_EQ(A.Roots[0].Alone, 1532u);
  W.Roots = {4}; // a global leads to the last of the list, too
  H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  A = analyse(*H);
  ASSERT_EQ(A.Roots.size(), 2u);
  EXPECT_EQ(A.Roots[0].Kind, RootKind::Stack);
  EXPECT_EQ(A.Roots[0].Alone, 1032u);
  EXPECT_EQ(A.Roots[1].Alone, 570u); // what leaks is nobody's
}

TEST(Heap, TypesHaveTheNamesOfReports) {
  EXPECT_EQ(shownType("std::_Rb_tree_node<std::pair<const int, Foo>>"),
            "std::map<int, Foo> node");
  EXPECT_EQ(shownType("std::basic_string<char>"), "std::string");
  EXPECT_EQ(shownType(""), "(unknown type)");
}

TEST(Heap, JsonAndChrome) {
  HeapWriter W;
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
  HeapWriter Old, New;
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

TEST(Heap, ARootOfNoObjectIsRefused) {
  HeapWriter W;
  W.Roots = {0};
  const auto H = W.read();
  ASSERT_FALSE(H);
  EXPECT_NE(H.status().str().find("an object"), std::string::npos)
      << H.status().str();
}

TEST(Heap, AnyBytesAreReadOrRefused) {
  HeapWriter W;
  std::mt19937 Random(1);
  for (int I = 0; I < 50; ++I)
    W.Objects.push_back({16 + Random() % 100,
                         static_cast<uint32_t>(1 + Random() % 2),
                         {{static_cast<uint32_t>(Random() % 50)}}});
  W.Roots = {0, 7};
  W.Containers = {{5, 3, 2, 10, 100, 8, 0}};
  const std::vector<std::byte> Good = W.bytes();
  for (int Round = 0; Round < 2000; ++Round) {
    std::vector<std::byte> Bytes = Good;
    for (int K = 0; K < 3; ++K)
      Bytes[Random() % Bytes.size()] = static_cast<std::byte>(Random());
    if (Round % 4 == 0)
      Bytes.resize(Random() % Bytes.size());
    const auto H =
        readHeap(trace::Buffer::fromBytes(std::move(Bytes), "damaged.heap"));
    if (H) {
      const Analysis A = analyse(*H);
      EXPECT_FALSE(textOf(*H, A, {}, 10).empty());
    } else {
      EXPECT_FALSE(H.status().str().empty());
    }
  }
}
