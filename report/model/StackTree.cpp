//===- StackTree.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/StackTree.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

namespace inmem::report {

void StackTotals::add(const StackResult &S) {
  Sum.add(S.Sum);
  LivedSum += S.LivedSum;
  LivedCount += S.LivedCount;
}

std::optional<uint64_t> StackTotals::meanLifetime() const {
  if (!(LivedCount > 0))
    return std::nullopt;
  return static_cast<uint64_t>(std::llround(LivedSum / LivedCount));
}

std::vector<uint32_t> frameGroups(const CallStacks &Calls, bool ByLine) {
  std::unordered_map<std::string, uint32_t> Known;
  std::vector<uint32_t> Out;
  for (const StackFrame &F : Calls.Frames) {
    std::string Key = F.Where.Function + '\n';
    if (ByLine)
      Key += F.Where.File + ':' + std::to_string(F.Where.Line);
    Out.push_back(
        Known.try_emplace(std::move(Key), static_cast<uint32_t>(Known.size()))
            .first->second);
  }
  return Out;
}

namespace {

/// A node while the tree grows.
struct Growing {
  uint32_t Frame = 0;
  bool Recursive = false;
  StackTotals Inclusive, Self;
  std::unordered_map<uint32_t, std::unique_ptr<Growing>> Children;

  StackNode finish() const {
    StackNode N{Frame, Recursive, Inclusive, Self, {}};
    for (const auto &[Group, Child] : Children)
      N.Children.push_back(Child->finish());
    std::sort(N.Children.begin(), N.Children.end(),
              [](const StackNode &A, const StackNode &B) {
                const Counts &X = A.Inclusive.Sum, &Y = B.Inclusive.Sum;
                if (X.AllocatedBytes != Y.AllocatedBytes)
                  return X.AllocatedBytes > Y.AllocatedBytes;
                if (X.Allocations != Y.Allocations)
                  return X.Allocations > Y.Allocations;
                return A.Frame < B.Frame;
              });
    return N;
  }
};

} // namespace

std::vector<uint32_t> mergeRecursion(const std::vector<uint32_t> &Frames,
                                     const std::vector<uint32_t> &Groups,
                                     std::vector<bool> *Recursive) {
  std::vector<uint32_t> Out;
  std::vector<bool> Again;
  for (const uint32_t F : Frames) {
    size_t At = 0;
    while (At < Out.size() && Groups[Out[At]] != Groups[F])
      ++At;
    if (At == Out.size()) {
      Out.push_back(F);
      Again.push_back(false);
      continue;
    }
    Out.resize(At + 1);
    Again.resize(At + 1);
    Again[At] = true;
  }
  if (Recursive)
    *Recursive = std::move(Again);
  return Out;
}

StackNode buildTree(const Profile &P, const TreeOptions &Options,
                    const std::function<bool(const StackResult &)> &Wanted) {
  const std::vector<uint32_t> Groups = frameGroups(P.Calls, Options.ByLine);
  Growing Root;
  std::vector<Growing *> Path;
  for (const StackResult &S : P.Calls.Stacks) {
    if (Wanted && !Wanted(S))
      continue;
    std::vector<uint32_t> Frames = S.Frames;
    if (Options.BottomUp)
      std::reverse(Frames.begin(), Frames.end());
    std::vector<bool> Recursive(Frames.size());
    if (Options.MergeRecursion)
      Frames = mergeRecursion(Frames, Groups, &Recursive);
    Path.assign(1, &Root);
    for (size_t I = 0; I < Frames.size(); ++I) {
      const uint32_t F = Frames[I];
      std::unique_ptr<Growing> &Child = Path.back()->Children[Groups[F]];
      if (!Child) {
        Child = std::make_unique<Growing>();
        Child->Frame = F;
      }
      Child->Recursive |= Recursive[I];
      Path.push_back(Child.get());
    }
    Growing *Maker =
        Options.BottomUp && Path.size() > 1 ? Path[1] : Path.back();
    Maker->Self.add(S);
    for (Growing *G : Path)
      G->Inclusive.add(S);
  }
  return Root.finish();
}

} // namespace inmem::report
