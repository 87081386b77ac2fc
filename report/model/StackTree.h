//===- StackTree.h - Call stacks as a tree of functions -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Top-down (callers first) or bottom-up (the allocating function first). A
// node's counts are inclusive: all blocks allocated by or below it; Self has
// its own counts. Recursion is merged: where a function recurs, the stack
// continues from its first call, so that children add up.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_STACKTREE_H
#define INMEM_REPORT_STACKTREE_H

#include "report/model/Profile.h"

#include <functional>

namespace inmem::report {

struct TreeOptions {
  bool BottomUp = false;
  bool MergeRecursion = true;
  bool ByLine = false; ///< calls from different lines are separate nodes
};

/// Totals of one node, or of one stack.
struct StackTotals {
  Counts Sum;
  double LivedSum = 0, LivedCount = 0;

  void add(const StackResult &S);
  /// In Profile::LifetimeUnit; nullopt without timed lifetimes.
  std::optional<uint64_t> meanLifetime() const;
};

struct StackNode {
  uint32_t Frame = 0;     ///< index into CallStacks: the first of the function
  bool Recursive = false; ///< calls itself, directly or indirectly
  StackTotals Inclusive, Self;
  std::vector<StackNode> Children; ///< most bytes first
};

/// \param Wanted the stacks to count; all if empty \returns a root without a
/// frame
StackNode
buildTree(const Profile &P, const TreeOptions &Options,
          const std::function<bool(const StackResult &)> &Wanted = {});

/// \p Frames without recursion: where a function recurs, the path continues
/// from its first occurrence, without the frames in between. \param Groups from
/// frameGroups() \param Recursive if not null, receives for each frame whether
/// it recurred
std::vector<uint32_t> mergeRecursion(const std::vector<uint32_t> &Frames,
                                     const std::vector<uint32_t> &Groups,
                                     std::vector<bool> *Recursive = nullptr);

/// For each of CallStacks::Frames, a number shared by frames of the same
/// function or, with \p ByLine, of the same line.
std::vector<uint32_t> frameGroups(const CallStacks &Calls, bool ByLine);

} // namespace inmem::report

#endif
