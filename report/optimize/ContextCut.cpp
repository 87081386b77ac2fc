//===- ContextCut.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/optimize/ContextCut.h"

#include <algorithm>

namespace inmem::report {

/// Cost of losing a context's class. Blocks may have no bytes.
static uint64_t weightOf(const ContextLifetimes &L) {
  return L.Bytes + L.Blocks;
}

ContextTree::ContextTree(const LifetimeProfile &P) : P(P) {
  Contexts.reserve(P.Contexts.size());
  for (const auto &[Calls, Lifetimes] : P.Contexts)
    Contexts.push_back({&Calls, &Lifetimes, Lifetimes.lifetimeClass()});
  order();
  findMixed();
  Before.resize(Contexts.size() + 1);
  for (size_t I = 0; I < Contexts.size(); ++I) {
    Before[I + 1] = Before[I];
    Before[I + 1][static_cast<size_t>(Contexts[I].Class)] +=
        weightOf(*Contexts[I].Lifetimes);
  }
}

/// Compares contents, so that equal profiles yield equal texts.
void ContextTree::order() {
  const std::vector<uint32_t> Ranks = P.Calls->ranks();
  std::ranges::sort(Contexts, [&](const Context &X, const Context &Y) {
    return std::ranges::lexicographical_compare(
        *X.Calls, *Y.Calls, {}, [&](uint32_t Call) { return Ranks[Call]; },
        [&](uint32_t Call) { return Ranks[Call]; });
  });
}

void ContextTree::findMixed() {
  std::map<std::string_view, LifetimeClass> Classes;
  for (const Context &C : Contexts)
    for (const CodeFrame &F : (*P.Calls)[C.Calls->front()])
      if (const auto [Where, New] = Classes.try_emplace(F.Function, C.Class);
          Where->second != C.Class)
        Mixed.insert(F.Function);
}

std::vector<ContextTree::Node> ContextTree::nodes(size_t First, size_t Last,
                                                  size_t Depth) const {
  std::vector<Node> Out;
  while (First < Last) {
    const uint32_t Call = (*Contexts[First].Calls)[Depth];
    size_t End = First + 1;
    while (End < Last && (*Contexts[End].Calls)[Depth] == Call)
      ++End;
    Out.push_back({First, End, Depth + 1});
    First = End;
  }
  return Out;
}

void ContextTree::walk(const std::function<bool(const Node &)> &Enter) const {
  std::vector<Node> Left = nodes(0, Contexts.size(), 0);
  std::ranges::reverse(Left);
  while (!Left.empty()) {
    const Node N = Left.back();
    Left.pop_back();
    if (!Enter(N))
      continue;
    // At most one context ends here. It is the first.
    const bool Ends = Contexts[N.First].Calls->size() == N.Depth;
    const auto Inner = nodes(N.First + Ends, N.Last, N.Depth);
    Left.insert(Left.end(), Inner.rbegin(), Inner.rend());
  }
}

uint64_t ContextTree::costOf(const Node &N) const {
  uint64_t Sum = 0, Most = 0;
  for (size_t Class = 0; Class < 3; ++Class) {
    const uint64_t Each = Before[N.Last][Class] - Before[N.First][Class];
    Sum += Each;
    Most = std::max(Most, Each);
  }
  const bool HasCallers =
      N.Last - N.First > 1 || Contexts[N.First].Calls->size() > N.Depth;
  if (N.Depth == 1 && HasCallers && !Mixed.empty())
    for (const CodeFrame &F : (*P.Calls)[Contexts[N.First].Calls->front()])
      if (Mixed.contains(F.Function))
        return UINT64_MAX; // last resort
  return Sum - Most;
}

std::vector<uint64_t> ContextTree::costs() const {
  std::vector<uint64_t> Out;
  walk([&](const Node &N) {
    const uint64_t Cost = costOf(N);
    Out.push_back(Cost);
    return Cost > 0;
  });
  std::ranges::sort(Out);
  Out.erase(std::unique(Out.begin(), Out.end()), Out.end());
  return Out;
}

void ContextTree::addCut(const Node &N, std::vector<CutContext> &Out) const {
  const std::span<const uint32_t> Calls(*Contexts[N.First].Calls);
  std::array<CutContext, 3> Sums;
  for (size_t I = N.First; I < N.Last; ++I)
    Sums[static_cast<size_t>(Contexts[I].Class)].Lifetimes.add(
        *Contexts[I].Lifetimes);
  for (size_t Class = 0; Class < Sums.size(); ++Class)
    if (Sums[Class].Lifetimes.Blocks > 0) {
      Sums[Class].Calls = Calls.first(N.Depth);
      Sums[Class].Class = static_cast<LifetimeClass>(Class);
      Out.push_back(Sums[Class]);
    }
}

std::vector<CutContext> ContextTree::cut(uint64_t Cost) const {
  std::vector<CutContext> Out;
  walk([&](const Node &N) {
    const bool IsLeaf =
        N.Last - N.First == 1 && Contexts[N.First].Calls->size() == N.Depth;
    if (IsLeaf || costOf(N) <= Cost) {
      addCut(N, Out);
      return false;
    }
    if (Contexts[N.First].Calls->size() == N.Depth)
      addCut({N.First, N.First + 1, N.Depth}, Out);
    return true;
  });
  return Out;
}

} // namespace inmem::report
