//===- ContextCut.h - Number of calls that contexts keep --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler looks at the fewest callers that determine one class. Outer
// callers only enlarge a profile: a recursive program has a context for each
// path through its recursion.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_OPTIMIZE_CONTEXTCUT_H
#define INMEM_REPORT_OPTIMIZE_CONTEXTCUT_H

#include "report/optimize/LifetimeProfile.h"

#include <array>
#include <functional>
#include <set>
#include <span>

namespace inmem::report {

/// Contexts of one class that begin with the same calls.
struct CutContext {
  std::span<const uint32_t> Calls; ///< innermost first; the profile's calls
  LifetimeClass Class = LifetimeClass::Short;
  ContextLifetimes Lifetimes; ///< total
};

/// The contexts of a profile as a tree, which grows from allocations outwards.
class ContextTree {
public:
  /// \p P must outlive the tree.
  explicit ContextTree(const LifetimeProfile &P);

  /// Cuts the tree at each node whose blocks of other classes than the most
  /// frequent one count for at most \p Cost. 0 loses nothing.
  std::vector<CutContext> cut(uint64_t Cost) const;
  /// The costs of cutting at each node, in order, without duplicates.
  std::vector<uint64_t> costs() const;

private:
  struct Context {
    const CallStack *Calls;
    const ContextLifetimes *Lifetimes;
    LifetimeClass Class;
  };
  /// Contexts First up to Last have their first Depth calls in common.
  struct Node {
    size_t First, Last, Depth;
  };

  void order();
  void findMixed();
  std::vector<Node> nodes(size_t First, size_t Last, size_t Depth) const;
  uint64_t costOf(const Node &N) const;
  void addCut(const Node &N, std::vector<CutContext> &Out) const;
  /// Visits nodes from allocations outwards while \p Enter returns true.
  void walk(const std::function<bool(const Node &)> &Enter) const;

  const LifetimeProfile &P;
  std::vector<Context> Contexts; ///< those with common calls are adjacent
  std::vector<std::array<uint64_t, 3>>
      Before; ///< prefix sums of costs, by class
  /// Functions that allocate blocks of several classes. A compiler that
  /// examines calls of such a function distinguishes all its allocations by
  /// caller.
  std::set<std::string_view> Mixed;
};

} // namespace inmem::report

#endif
