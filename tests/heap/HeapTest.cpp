//===- HeapTest.cpp - Snapshots made by hand, and damaged ones ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SampleHeap.h"
#include "heap/SnapshotDiff.h"
#include "heap/SnapshotViews.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

using namespace inmem;
using namespace inmem::heap;

namespace {

uint64_t sumOf(const std::vector<Leak> &Leaks, Reach How) {
  uint64_t Objects = 0;
  for (const Leak &L : Leaks)
    if (L.How == How)
      Objects += L.Objects;
  return Objects;
}

} // namespace

// An object that holds its own kind is one node, and so is a cycle of two
// types.
TEST(Heap, HoldersAreByNameAndEachNameComesOnceOnAWay) {
  SampleHeap W;
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
  const auto Has = [&](std::string_view Name, uint64_t Count, uint64_t Sum) {
    return std::ranges::any_of(All, [&](const HeldNode &N) {
      return A.Names[N.Name] == Name && N.Objects == Count && N.Bytes == Sum;
    });
  };
  EXPECT_TRUE(Has("Bar", 3, 48));
  EXPECT_TRUE(Has("Foo", 1, 32));
  EXPECT_TRUE(Has("Foo", 2, 100));
  EXPECT_TRUE(Has("Bar", 2, 120));
  EXPECT_TRUE(Has("(unknown type)", 1, 1));
  // A node that retains less than that is part of its holder, and so of the
  // roots.
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
  SampleHeap W;
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
  EXPECT_EQ(A.Types[0].Retained, 160u); // 4 is below 3, which counts once
  EXPECT_EQ(A.Types[1].Retained, 56u);
  EXPECT_EQ(wayText(*H, A, 2), "global libx.so+0x40 -> Bar.next");
  EXPECT_EQ(pathTo(A, 4).size(), 2u);
}

TEST(Heap, LeaksHoldNothingThatIsReachable) {
  SampleHeap W;
  // root -> 0 -> 1; 2 leaked -> {1, 3}
  W.Objects = {{16, 1, {{1}}}, {24}, {32, 1, {{1}, {3}}}, {40}};
  W.Roots = {0};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  EXPECT_EQ(analyse(*H).Retained, (std::vector<uint64_t>{40, 24, 72, 40}));
}

TEST(Heap, LeaksAreToldApart) {
  SampleHeap W;
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
  SampleHeap W;
  W.Labels.insert(W.Labels.end(), {"_ZN4shop5CacheB2v2B5cxx11E", "entries[]",
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

// A field's own nodes and its elements, and nothing of another field.
TEST(Heap, CollectionsRetainWhatTheirFieldLeadsTo) {
  SampleHeap W;
  W.Labels.insert(W.Labels.end(), {"next[]", "nextOne", "[]"});
  W.Objects = {{16, 1, {{1, 3}, {2, 5}, {3, 6}}, 0, 1, 1000000},
               {32, 2},
               {64, 2},
               {128, 2},
               // a container that is an object of its own
               {16, 1, {{5, 7}, {6, 3}}, 0, 1, 1000000},
               {256, 2},
               {512, 2}};
  W.Roots = {0, 4};
  W.Containers = {{1, 3, 2, 10, 10, 8, 0}, {5, 0, 2, 5, 5, 8, 0}};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const Analysis A = analyse(*H);
  ASSERT_EQ(A.Collections.size(), 2u);
  EXPECT_EQ(A.Collections[0].Field, "");
  EXPECT_EQ(A.Collections[0].Retained, 256u);
  EXPECT_EQ(A.Collections[1].Field, "next");
  EXPECT_EQ(A.Collections[1].Retained, 32u + 64u);
}

// Remains of a call on the stack are not a reason while there is another.
TEST(Heap, WaysBeginAtStacksOnlyWhereNothingElseLeads) {
  SampleHeap W;
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

TEST(Heap, PartialSnapshotsTellNoLeaks) {
  SampleHeap W;
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
  SampleHeap W;
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
  SampleHeap W;
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

TEST(Heap, AnEmptySectionMayBeAtTheEnd) {
  SampleHeap W;
  W.Objects = {{16}};
  W.Roots = {0};
  for (const uint64_t Behind : {0, 1}) {
    std::vector<std::byte> Bytes = W.bytes();
    Header Head;
    std::memcpy(&Head, Bytes.data(), sizeof Head);
    Head.Adopted = {Head.FileBytes + Behind, 0};
    std::memcpy(Bytes.data(), &Head, sizeof Head);
    const auto H =
        readHeap(trace::Buffer::fromBytes(std::move(Bytes), "made.heap"));
    EXPECT_EQ(H.operator bool(), Behind == 0);
  }
}

TEST(Heap, DuplicatesSparseOnesAndPadding) {
  SampleHeap W;
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

TEST(Heap, PaddingIsThatOfAllObjects) {
  SampleHeap W;
  W.Objects = {{24, 1}, {16, 2}, {24, 1}};
  W.Roots = {0, 1, 2};
  const auto H = W.read();
  ASSERT_TRUE(H) << H.status().str();
  const Analysis A = analyse(*H);
  ASSERT_EQ(A.Paddings.size(), 1u);
  EXPECT_EQ(A.Paddings[0].Objects, 2u);
}

// Contents of one type and size that one line made are one row.
TEST(Heap, DuplicatesOfOneLineAreAddedUp) {
  SampleHeap W;
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

// Two words of a stack hold one list: neither retains it, the stack does.
TEST(Heap, RootsOfOnePlaceReachMoreThanTheyRetain) {
  SampleHeap W;
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
  EXPECT_EQ(A.Roots[1].Alone, 570u); // what leaks is retained by nothing
}

TEST(Heap, ARootOfNoObjectIsRefused) {
  SampleHeap W;
  W.Roots = {0};
  const auto H = W.read();
  ASSERT_FALSE(H);
  EXPECT_NE(H.status().str().find("an object"), std::string::npos)
      << H.status().str();
}

TEST(Heap, AnyBytesAreReadOrRefused) {
  SampleHeap W;
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
