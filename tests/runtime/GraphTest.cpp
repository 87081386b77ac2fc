//===- GraphTest.cpp - Blocks by address, containers on a walk ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks are the recorder's, so these tests are part of its program
// (ThreadsTest.cpp).
//
//===----------------------------------------------------------------------===//
#include "FakeBlocks.h"
#include "graph/BlockAt.h"
#include "graph/Walk.h"
#include "hot/Recorder.h"

#include <gtest/gtest.h>

#include <vector>

using namespace inmem::rt;
using namespace inmem::test;

namespace {

/// Granules from one of nextAddress() on that are known to be free.
uintptr_t freeRange(unsigned Blocks) {
  const auto First = reinterpret_cast<uintptr_t>(nextAddress());
  for (unsigned I = 1; I < Blocks; ++I)
    nextAddress();
  return First;
}

// Empty entries are skipped by fours: none of the four may hold a block.
TEST(Graph, TheBlockBeforeAnAddressIsFoundWhereverItBegins) {
  Described Here;
  onThreads(1, [&](unsigned) {
    constexpr unsigned kGranules = 24, kBytes = 1 << kGranuleShift;
    const uintptr_t First = freeRange(kGranules * kBytes / 64);
    for (unsigned I = 0; I < kGranules; ++I) {
      const uintptr_t Begin = First + I * kBytes;
      char *P = reinterpret_cast<char *>(Begin);
      recordSite(P, 8, &Here.Site);
      for (unsigned From = 0; From < kGranules; ++From) {
        Memory M;
        EXPECT_EQ(previousBlock(M, First + From * kBytes, First),
                  From < I ? 0 : Begin)
            << I << " from " << From;
      }
      recordFreeAt(P);
    }
  });
}

struct Told {
  std::vector<ContainerFacts> Containers;
  std::vector<Edge> Edges;
};

TEST(Graph, AContainersFiguresAreReportedToThoseThatAsk) {
  const std::vector<uint64_t> Numbers = [] {
    std::vector<uint64_t> Out = {1, 2, 3};
    Out.reserve(8);
    return Out;
  }();
  Step Vector = {};
  Vector.Kind = Op::Vector;
  Vector.A = 8;
  Vector.B = 16;
  Vector.Label = "";
  constexpr size_t kBytes =
      sizeof(std::vector<uint64_t>); // its own, no elements
  const Plan P = {nullptr, &Vector, 1, kBytes, false, false};
  const auto At = reinterpret_cast<uintptr_t>(&Numbers);
  const auto Buffer = reinterpret_cast<uintptr_t>(Numbers.data());
  const auto OnEdge = [](void *To, const Edge &E, const Walk &) {
    static_cast<Told *>(To)->Edges.push_back(E);
  };
  Told All;
  Memory M;
  Walk(M, &All, OnEdge, [](void *To, const ContainerFacts &F, const Walk &) {
    static_cast<Told *>(To)->Containers.push_back(F);
  }).objects(P, At, 1, kBytes, false);
  ASSERT_EQ(All.Containers.size(), 1u);
  EXPECT_EQ(All.Containers[0].Elements, 24u); // bytes: no type is known
  EXPECT_EQ(All.Containers[0].Capacity, 64u);
  EXPECT_EQ(All.Containers[0].Buffer, Buffer);
  ASSERT_EQ(All.Edges.size(), 1u);
  EXPECT_EQ(All.Edges[0].Target, Buffer);
  Walk(M, &All, OnEdge).objects(P, At, 1, kBytes, false);
  EXPECT_EQ(All.Containers.size(), 1u);
  EXPECT_EQ(All.Edges.size(), 2u);
}

} // namespace
