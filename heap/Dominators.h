//===- Dominators.h - The only holder of each object ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lengauer and Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph"
// (TOPLAS 1979), the version with path compression. Loops replace recursion,
// because a list may have ten million nodes.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_HEAP_DOMINATORS_H
#define INMEM_HEAP_DOMINATORS_H

#include <cstdint>
#include <span>
#include <vector>

namespace inmem::heap {

inline constexpr uint32_t kNoNode = UINT32_MAX;

/// Successors of node N are Targets[First[N]] up to Targets[First[N + 1]].
struct FlowGraph {
  std::vector<uint64_t> First;
  std::vector<uint32_t> Targets;
  uint32_t nodes() const { return static_cast<uint32_t>(First.size() - 1); }
  std::span<const uint32_t> successors(uint32_t N) const {
    return std::span(Targets).subspan(First[N], First[N + 1] - First[N]);
  }
};

struct DominatorTree {
  /// Indexed by node: its immediate dominator; kNoNode for node 0 (the start)
  /// and for unreachable nodes.
  std::vector<uint32_t> Immediate;
  /// Reachable nodes, each after its dominator.
  std::vector<uint32_t> Order;
};

DominatorTree dominatorsOf(const FlowGraph &G);

} // namespace inmem::heap

#endif
