//===- Dominators.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/Dominators.h"

#include <algorithm>

namespace inmem::heap {

namespace {

/// Nodes are numbered from 0 in the order of a depth-first search. All arrays
/// are indexed by these numbers.
class LengauerTarjan {
public:
  explicit LengauerTarjan(const FlowGraph &G) : G(G) {}

  DominatorTree run() {
    search();
    buildPredecessors();
    const auto Count = static_cast<uint32_t>(Vertex.size());
    Semi.resize(Count);
    Label.resize(Count);
    for (uint32_t I = 0; I < Count; ++I)
      Semi[I] = Label[I] = I;
    Ancestor.assign(Count, kNoNode);
    Dominator.assign(Count, kNoNode);
    Bucket.assign(Count, kNoNode);
    NextInBucket.assign(Count, kNoNode);
    for (uint32_t W = Count; W-- > 1;)
      settle(W);
    for (uint32_t W = 1; W < Count; ++W)
      if (Dominator[W] != Semi[W])
        Dominator[W] = Dominator[Dominator[W]];
    DominatorTree Result;
    Result.Immediate.assign(G.nodes(), kNoNode);
    for (uint32_t W = 1; W < Count; ++W)
      Result.Immediate[Vertex[W]] = Vertex[Dominator[W]];
    // A dominator has the lower number.
    Result.Order = std::move(Vertex);
    return Result;
  }

private:
  void search() {
    Number.assign(G.nodes(), kNoNode);
    struct Level {
      uint32_t Node;
      uint64_t Next;
    };
    std::vector<Level> Levels;
    auto Enter = [&](uint32_t Node, uint32_t From) {
      Number[Node] = static_cast<uint32_t>(Vertex.size());
      Vertex.push_back(Node);
      Parent.push_back(From);
      Levels.push_back({Node, G.First[Node]});
    };
    Enter(0, kNoNode);
    while (!Levels.empty()) {
      Level &Top = Levels.back();
      if (Top.Next == G.First[Top.Node + 1]) {
        Levels.pop_back();
        continue;
      }
      const uint32_t To = G.Targets[Top.Next++];
      if (Number[To] == kNoNode)
        Enter(To, Number[Top.Node]);
    }
  }

  void buildPredecessors() {
    FirstPredecessor.assign(Vertex.size() + 1, 0);
    for (const uint32_t Node : Vertex)
      for (const uint32_t To : G.successors(Node))
        ++FirstPredecessor[Number[To] + 1];
    for (size_t I = 1; I < FirstPredecessor.size(); ++I)
      FirstPredecessor[I] += FirstPredecessor[I - 1];
    Predecessors.resize(FirstPredecessor.back());
    std::vector<uint64_t> Next(FirstPredecessor.begin(),
                               FirstPredecessor.end() - 1);
    for (uint32_t From = 0; From < Vertex.size(); ++From)
      for (const uint32_t To : G.successors(Vertex[From]))
        Predecessors[Next[Number[To]]++] = From;
  }

  void settle(uint32_t W) {
    for (uint64_t I = FirstPredecessor[W]; I < FirstPredecessor[W + 1]; ++I)
      Semi[W] = std::min(Semi[W], Semi[evaluate(Predecessors[I])]);
    NextInBucket[W] = Bucket[Semi[W]];
    Bucket[Semi[W]] = W;
    const uint32_t P = Parent[W];
    Ancestor[W] = P;
    for (uint32_t V = Bucket[P]; V != kNoNode; V = NextInBucket[V]) {
      const uint32_t U = evaluate(V);
      Dominator[V] = Semi[U] < Semi[V] ? U : P;
    }
    Bucket[P] = kNoNode;
  }

  uint32_t evaluate(uint32_t V) {
    if (Ancestor[V] == kNoNode)
      return V;
    compress(V);
    return Label[V];
  }

  void compress(uint32_t V) {
    Path.clear();
    for (; Ancestor[Ancestor[V]] != kNoNode; V = Ancestor[V])
      Path.push_back(V);
    for (size_t I = Path.size(); I-- > 0;) {
      const uint32_t Node = Path[I], Above = Ancestor[Node];
      if (Semi[Label[Above]] < Semi[Label[Node]])
        Label[Node] = Label[Above];
      Ancestor[Node] = Ancestor[Above];
    }
  }

  const FlowGraph &G;
  std::vector<uint32_t> Number, Vertex, Parent, Semi, Label, Ancestor,
      Dominator, Bucket, NextInBucket, Path, Predecessors;
  std::vector<uint64_t> FirstPredecessor;
};

} // namespace

DominatorTree dominatorsOf(const FlowGraph &G) {
  return LengauerTarjan(G).run();
}

} // namespace inmem::heap
