//===- HeldByType.cpp - The dominator tree, by name -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/Analysis.h"

#include <map>

namespace inmem::heap {

/// The node of \p Name among \p Node and its ancestors, or kNoNode.
static uint32_t above(const std::vector<HeldNode> &All, uint32_t Node,
                      uint32_t Name) {
  for (; Node != 0; Node = All[Node].Parent)
    if (All[Node].Name == Name)
      return Node;
  return kNoNode;
}

/// Merges nodes that retain less than \p Least bytes into their holder.
static std::vector<HeldNode> withoutSmall(const std::vector<HeldNode> &All,
                                          uint64_t Least) {
  std::vector<uint64_t> Retained(All.size());
  for (size_t I = All.size(); I-- > 0;) {
    Retained[I] += All[I].Bytes;
    if (I != 0)
      Retained[All[I].Parent] += Retained[I];
  }
  std::vector<HeldNode> Out;
  std::vector<uint32_t> Now(All.size());
  for (size_t I = 0; I < All.size(); ++I) {
    const uint32_t Holder = Now[All[I].Parent];
    if (I != 0 && Retained[I] < Least) {
      Now[I] = Holder; // and thus for all nodes below it
      Out[Holder].Bytes += All[I].Bytes;
      continue;
    }
    Now[I] = static_cast<uint32_t>(Out.size());
    Out.push_back({Holder, All[I].Name, All[I].Objects, All[I].Bytes});
  }
  return Out;
}

std::vector<HeldNode> heldByType(const Heap &H, const Analysis &A,
                                 uint64_t LeastRetained) {
  std::vector<HeldNode> All(1);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Children;
  std::vector<uint32_t> NodeOf(size_t{H.objects()} + 1);
  for (const uint32_t N : A.Tree.Order) {
    if (N == 0)
      continue;
    const uint32_t Holder = NodeOf[A.Tree.Immediate[N]];
    const uint32_t Name = A.NameOf[N - 1];
    const auto [Where, New] = Children.try_emplace({Holder, Name}, 0);
    if (New) {
      const uint32_t Same = above(All, Holder, Name);
      const bool IsFirst = Same == kNoNode;
      Where->second = IsFirst ? static_cast<uint32_t>(All.size()) : Same;
      if (IsFirst)
        All.push_back({Holder, Name, 0, 0});
    }
    HeldNode &To = All[Where->second];
    ++To.Objects;
    To.Bytes += H.Size[N - 1];
    NodeOf[N] = Where->second;
  }
  return withoutSmall(All, LeastRetained);
}

} // namespace inmem::heap
