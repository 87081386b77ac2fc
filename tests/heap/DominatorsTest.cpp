//===- DominatorsTest.cpp - Against an oracle that removes each node ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/Dominators.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace inmem::heap;

namespace {

using Edges = std::vector<std::vector<uint32_t>>;

FlowGraph flowGraph(const Edges &Out) {
  FlowGraph G;
  for (const auto &Targets : Out) {
    G.First.push_back(G.Targets.size());
    G.Targets.insert(G.Targets.end(), Targets.begin(), Targets.end());
  }
  G.First.push_back(G.Targets.size());
  return G;
}

/// Nodes that can be reached from node 0 without going through \p Without.
std::vector<bool> reached(const Edges &Out, uint32_t Without = kNoNode) {
  std::vector<bool> Seen(Out.size());
  std::vector<uint32_t> Open;
  if (Without != 0)
    Open.push_back(0);
  while (!Open.empty()) {
    const uint32_t Node = Open.back();
    Open.pop_back();
    if (Node == Without || Seen[Node])
      continue;
    Seen[Node] = true;
    Open.insert(Open.end(), Out[Node].begin(), Out[Node].end());
  }
  return Seen;
}

Edges randomGraph(std::mt19937 &Random, uint32_t Nodes, uint32_t Count) {
  Edges Out(Nodes);
  for (uint32_t I = 0; I < Count; ++I)
    Out[Random() % Nodes].push_back(Random() % Nodes);
  return Out;
}

} // namespace

TEST(Dominators, RetainsWhatIsGoneWithoutTheNode) {
  std::mt19937 Random(4711);
  for (int Round = 0; Round < 1000; ++Round) {
    const uint32_t Nodes = 2 + Random() % 40;
    const Edges Out = randomGraph(Random, Nodes, Random() % (3 * Nodes));
    std::vector<uint64_t> Size(Nodes);
    for (uint64_t &Bytes : Size)
      Bytes = 1 + Random() % 1000;
    const DominatorTree Tree = dominatorsOf(flowGraph(Out));
    std::vector<uint64_t> Retained = Size;
    for (size_t I = Tree.Order.size(); I-- > 1;)
      Retained[Tree.Immediate[Tree.Order[I]]] += Retained[Tree.Order[I]];
    const std::vector<bool> All = reached(Out);
    ASSERT_EQ(Tree.Order.size(),
              static_cast<size_t>(std::count(All.begin(), All.end(), true)));
    for (uint32_t Node = 0; Node < Nodes; ++Node) {
      if (!All[Node])
        continue;
      const std::vector<bool> Left = reached(Out, Node);
      uint64_t Gone = 0;
      for (uint32_t Other = 0; Other < Nodes; ++Other)
        if (All[Other] && !Left[Other])
          Gone += Size[Other];
      ASSERT_EQ(Retained[Node], Gone) << "round " << Round << ", node " << Node;
    }
  }
}

TEST(Dominators, ImmediateOnesAreTheNearest) {
  std::mt19937 Random(815);
  for (int Round = 0; Round < 200; ++Round) {
    const uint32_t Nodes = 2 + Random() % 25;
    const Edges Out = randomGraph(Random, Nodes, Random() % (4 * Nodes));
    const DominatorTree Tree = dominatorsOf(flowGraph(Out));
    const std::vector<bool> All = reached(Out);
    EXPECT_EQ(Tree.Immediate[0], kNoNode);
    for (uint32_t Node = 1; Node < Nodes; ++Node) {
      if (!All[Node]) {
        EXPECT_EQ(Tree.Immediate[Node], kNoNode);
        continue;
      }
      const uint32_t Above = Tree.Immediate[Node];
      EXPECT_TRUE(Above == 0 || !reached(Out, Above)[Node]);
      // Each other dominator of the node dominates that one.
      for (uint32_t Other = 1; Other < Nodes; ++Other)
        if (Other != Node && Other != Above && All[Other] &&
            !reached(Out, Other)[Node]) {
          EXPECT_FALSE(reached(Out, Other)[Above]);
        }
    }
  }
}

TEST(Dominators, AListOfAMillionIsALoop) {
  constexpr uint32_t kNodes = 1000000;
  FlowGraph G;
  for (uint32_t I = 0; I < kNodes; ++I) {
    G.First.push_back(G.Targets.size());
    if (I + 1 < kNodes)
      G.Targets.push_back(I + 1);
    G.Targets.push_back(I / 2); // and back
  }
  G.First.push_back(G.Targets.size());
  const DominatorTree Tree = dominatorsOf(G);
  for (uint32_t I = 1; I < kNodes; ++I)
    ASSERT_EQ(Tree.Immediate[I], I - 1);
}
