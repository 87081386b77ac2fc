//===- Analysis.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/Analysis.h"

#include "heap/SnapshotViews.h"

#include <algorithm>
#include <map>

namespace inmem::heap {

namespace {

/// Node 0 leads to the targets of roots and to the first block of each leak.
/// Leaks do not keep objects alive that roots reach.
FlowGraph graphOf(const Heap &H, const std::vector<Reach> &Reaches,
                  const std::vector<uint32_t> &LeakHeads) {
  FlowGraph G;
  const uint32_t Count = H.objects();
  G.First.reserve(Count + 2);
  G.Targets.reserve(H.EdgeTo.size() + H.Roots.size() + LeakHeads.size());
  G.First.push_back(0);
  for (const Root &R : H.Roots)
    G.Targets.push_back(R.Object + 1);
  for (const uint32_t Head : LeakHeads)
    G.Targets.push_back(Head + 1);
  for (uint32_t I = 0; I < Count; ++I) {
    G.First.push_back(G.Targets.size());
    const bool IsLeaked = Reaches[I] != Reach::Reachable;
    for (const uint32_t To : H.targets(I))
      if (!IsLeaked || Reaches[To] != Reach::Reachable)
        G.Targets.push_back(To + 1);
  }
  G.First.push_back(G.Targets.size());
  return G;
}

void sumRetained(const Heap &H, Analysis &A) {
  A.Retained = H.Size;
  const auto &Order = A.Tree.Order;
  for (size_t I = Order.size(); I-- > 1;) {
    const uint32_t Node = Order[I], Above = A.Tree.Immediate[Node];
    if (Above != 0 && Above != kNoNode)
      A.Retained[Above - 1] += A.Retained[Node - 1];
  }
}

/// True if an earlier call may have left a root there.
bool isTransient(const Root &R) {
  return R.Kind == RootKind::Stack || R.Kind == RootKind::Register;
}

/// Shortest paths, breadth first from all roots of a kind together. Stacks and
/// registers come last, for blocks that no variable leads to: an earlier call
/// may have left a pointer into a container, which does not explain its
/// elements.
void findPaths(const Heap &H, Analysis &A) {
  A.Reached.assign(H.objects(), {});
  A.Reaches.assign(H.objects(), Reach::Unreachable);
  std::vector<uint32_t> Queue;
  Queue.reserve(H.objects());
  const auto Add = [&](uint32_t Object, Analysis::Step By) {
    if (A.Reaches[Object] == Reach::Reachable)
      return;
    A.Reaches[Object] = Reach::Reachable;
    A.Reached[Object] = By;
    Queue.push_back(Object);
  };
  for (const bool Transient : {false, true}) {
    const size_t Before = Queue.size();
    for (size_t I = 0; I < H.Roots.size(); ++I)
      if (isTransient(H.Roots[I]) == Transient)
        Add(H.Roots[I].Object, {kNoNode, I});
    for (size_t I = Before; I < Queue.size(); ++I)
      for (uint64_t E = H.FirstEdge[Queue[I]]; E < H.FirstEdge[Queue[I] + 1];
           ++E)
        Add(H.EdgeTo[E], {Queue[I], E});
  }
}

/// Adds up objects, bytes and retained bytes by number. Memory that two objects
/// with one number retain counts once. \param NumberOf the number of an object,
/// below the size of \p Sums
template <class Sum>
void addUp(const Heap &H, const Analysis &A,
           const std::vector<uint32_t> &NumberOf, std::vector<Sum> &Sums) {
  for (uint32_t I = 0; I < H.objects(); ++I) {
    ++Sums[NumberOf[I]].Objects;
    Sums[NumberOf[I]].Bytes += H.Size[I];
  }
  // Walks down the tree and counts the ancestors with each number.
  std::vector<uint32_t> FirstChild(H.objects() + 1, kNoNode),
      Sibling(H.objects() + 1, kNoNode), Above(Sums.size());
  for (size_t I = A.Tree.Order.size(); I-- > 1;) {
    const uint32_t Node = A.Tree.Order[I], Parent = A.Tree.Immediate[Node];
    Sibling[Node] = FirstChild[Parent];
    FirstChild[Parent] = Node;
  }
  std::vector<uint32_t> Open;
  for (uint32_t Node = FirstChild[0]; Node != kNoNode;) {
    const uint32_t Number = NumberOf[Node - 1];
    if (Above[Number]++ == 0)
      Sums[Number].Retained += A.Retained[Node - 1];
    Open.push_back(Node);
    Node = FirstChild[Node];
    while (Node == kNoNode && !Open.empty()) {
      const uint32_t Done = Open.back();
      Open.pop_back();
      --Above[NumberOf[Done - 1]];
      Node = Sibling[Done];
    }
  }
  std::erase_if(Sums, [](const Sum &S) { return S.Objects == 0; });
}

/// Objects by the name of their type.
void sumTypes(const Heap &H, Analysis &A) {
  std::map<std::string_view, uint32_t> Numbers;
  std::vector<uint32_t> NumberOf(H.Types.size() + 1);
  auto Number = [&](std::string_view Name) {
    const auto [It, New] =
        Numbers.try_emplace(Name, static_cast<uint32_t>(A.Types.size()));
    if (New)
      A.Types.push_back({Name});
    return It->second;
  };
  NumberOf[0] = Number({});
  for (size_t I = 0; I < H.Types.size(); ++I)
    NumberOf[I + 1] = Number(H.Types[I].Record.Name);
  std::vector<uint32_t> OfObject(H.objects());
  for (uint32_t I = 0; I < H.objects(); ++I)
    OfObject[I] = NumberOf[H.TypeOf[I]];
  addUp(H, A, OfObject, A.Types);
  std::sort(A.Types.begin(), A.Types.end(),
            [](const TypeSum &X, const TypeSum &Y) {
              return std::tuple(Y.Retained, Y.Bytes, X.Type) <
                     std::tuple(X.Retained, X.Bytes, Y.Type);
            });
}

/// Names each object as reports name its block.
void nameObjects(const Heap &H, Analysis &A) {
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> Known;
  std::map<std::string, uint32_t> Numbers;
  A.NameOf.resize(H.objects());
  for (uint32_t I = 0; I < H.objects(); ++I) {
    const auto [It, New] = Known.try_emplace({H.SiteOf[I], H.typeName(I)});
    if (New) {
      const auto [Where, First] =
          Numbers.try_emplace(shownBlocks(H, H.typeName(I), H.SiteOf[I]),
                              static_cast<uint32_t>(A.Names.size()));
      if (First)
        A.Names.push_back(Where->first);
      It->second = Where->second;
    }
    A.NameOf[I] = It->second;
  }
}

void sumKinds(const Heap &H, Analysis &A) {
  for (uint32_t I = 0; I < A.Names.size(); ++I)
    A.Kinds.push_back({I});
  addUp(H, A, A.NameOf, A.Kinds);
  std::sort(A.Kinds.begin(), A.Kinds.end(),
            [&](const KindSum &X, const KindSum &Y) {
              return std::tie(Y.Retained, Y.Bytes, A.Names[X.Name]) <
                     std::tie(X.Retained, X.Bytes, A.Names[Y.Name]);
            });
}

constexpr uint32_t kSeveral = kNoNode - 1;

/// Indexed by object: the place of the roots that lead to it; kSeveral for more
/// than one, kNoNode for none. Stacks and registers count for objects that no
/// variable leads to.
std::vector<uint32_t>
positionsThatReach(const Heap &H, const std::vector<uint32_t> &PositionOf) {
  std::vector<uint32_t> Out(H.objects(), kNoNode), Queue;
  std::vector<bool> Settled(H.objects());
  // An object changes at most twice.
  const auto Reach = [&](uint32_t Object, uint32_t Position) {
    uint32_t &Known = Out[Object];
    const uint32_t Now =
        Known == kNoNode || Known == Position ? Position : kSeveral;
    if (Settled[Object] || Known == Now)
      return;
    Known = Now;
    Queue.push_back(Object);
  };
  for (const bool Transient : {false, true}) {
    for (size_t I = 0; I < H.Roots.size(); ++I)
      if (isTransient(H.Roots[I]) == Transient)
        Reach(H.Roots[I].Object, PositionOf[I]);
    while (!Queue.empty()) {
      const uint32_t Object = Queue.back();
      Queue.pop_back();
      for (const uint32_t To : H.targets(Object))
        Reach(To, Out[Object]);
    }
    for (uint32_t I = 0; I < H.objects(); ++I)
      Settled[I] = Out[I] != kNoNode;
  }
  return Out;
}

/// Sums, by place, the objects that roots of only one place hold.
void sumRoots(const Heap &H, Analysis &A) {
  std::map<std::pair<RootKind, uint32_t>, uint32_t> Numbers;
  std::vector<uint32_t> PositionOf;
  std::vector<bool> Done(H.objects());
  for (const Root &R : H.Roots) {
    const auto [Position, New] = Numbers.try_emplace(
        {R.Kind, R.Where}, static_cast<uint32_t>(A.Roots.size()));
    if (New)
      A.Roots.push_back({R.Kind, H.label(R.Where)});
    PositionOf.push_back(Position->second);
    if (Done[R.Object] || A.Tree.Immediate[R.Object + 1] != 0)
      continue;
    Done[R.Object] = true;
    RootSum &Sum = A.Roots[Position->second];
    ++Sum.Objects;
    Sum.Retained += A.Retained[R.Object];
  }
  const std::vector<uint32_t> Reaching = positionsThatReach(H, PositionOf);
  for (uint32_t I = 0; I < H.objects(); ++I)
    if (Reaching[I] < A.Roots.size())
      A.Roots[Reaching[I]].Alone += H.Size[I];
  std::erase_if(
      A.Roots, [](const RootSum &R) { return R.Objects == 0 && R.Alone == 0; });
  std::sort(A.Roots.begin(), A.Roots.end(),
            [](const RootSum &X, const RootSum &Y) {
              return std::tuple(Y.Alone, Y.Retained, X.Where, X.Kind) <
                     std::tuple(X.Alone, X.Retained, Y.Where, Y.Kind);
            });
}

/// Withdraws verdicts on objects that unrecorded memory may refer to.
void withdrawVerdicts(Analysis &A) {
  A.LeakedObjects = A.UnreachableBytes = 0;
  for (Reach &R : A.Reaches)
    if (R != Reach::Reachable)
      R = Reach::Unknown;
}

} // namespace

const char *nameOf(Reach R) {
  switch (R) {
  case Reach::Reachable:
    return "reachable";
  case Reach::Unreachable:
    return "unreachable";
  case Reach::Unknown:
    return "not known";
  case Reach::OnlyItself:
    return "only through itself";
  case Reach::HeldByLeaked:
    return "held by what leaks";
  }
  return "";
}

Analysis analyse(const Heap &H) {
  Analysis A;
  findPaths(H, A);
  const std::vector<uint32_t> Heads = findLeaks(H, A);
  A.Tree = dominatorsOf(graphOf(H, A.Reaches, Heads));
  sumRetained(H, A);
  for (uint32_t I = 0; I < H.objects(); ++I) {
    const bool Reached = A.Reaches[I] == Reach::Reachable;
    (Reached ? A.ReachableBytes : A.UnreachableBytes) += H.Size[I];
    A.LeakedObjects += !Reached;
  }
  A.Bytes = A.ReachableBytes + A.UnreachableBytes;
  sumTypes(H, A);
  nameObjects(H, A);
  sumKinds(H, A);
  sumRoots(H, A);
  if (H.isPartial())
    withdrawVerdicts(A);
  else
    sumLeaks(H, A);
  findDuplicates(H, A);
  findSparse(H, A);
  findCollections(H, A);
  findPadding(H, A);
  return A;
}

std::vector<Analysis::Step> pathTo(const Analysis &A, uint32_t Object) {
  std::vector<Analysis::Step> Path;
  for (uint32_t At = Object; A.Reaches[At] == Reach::Reachable;) {
    Path.push_back(A.Reached[At]);
    if (A.Reached[At].From == kNoNode)
      break;
    At = A.Reached[At].From;
  }
  std::reverse(Path.begin(), Path.end());
  return Path;
}

} // namespace inmem::heap
