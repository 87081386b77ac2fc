//===- Leaks.cpp - Objects that the program cannot get at any more --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/Analysis.h"

#include <algorithm>
#include <map>

namespace inmem::heap {

namespace {

class LeakFinder {
public:
  LeakFinder(const Heap &H, Analysis &A) : H(H), A(A) {}

  std::vector<uint32_t> run() {
    std::vector<bool> Led(H.objects());
    for (uint32_t I = 0; I < H.objects(); ++I)
      if (isLeaked(I))
        for (const uint32_t To : H.targets(I))
          if (To != I)
            Led[To] = true;
    for (uint32_t I = 0; I < H.objects(); ++I)
      if (isLeaked(I) && !Led[I])
        begin(I, Reach::Unreachable);
    // The rest is in cycles, or reachable from them: the object that a search
    // leaves last is in a cycle that nothing outside leads to.
    const std::vector<uint32_t> Left = lastFirst();
    for (const uint32_t I : Left)
      if (!Settled[I])
        begin(I, Reach::OnlyItself);
    return std::move(Heads);
  }

private:
  bool isLeaked(uint32_t I) const { return A.Reaches[I] != Reach::Reachable; }

  void begin(uint32_t Head, Reach How) {
    Heads.push_back(Head);
    A.Reaches[Head] = How;
    Settled[Head] = true;
    std::vector<uint32_t> Open = {Head};
    while (!Open.empty()) {
      const uint32_t From = Open.back();
      Open.pop_back();
      for (const uint32_t To : H.targets(From))
        if (isLeaked(To) && !Settled[To]) {
          Settled[To] = true;
          A.Reaches[To] = Reach::HeldByLeaked;
          Open.push_back(To);
        }
    }
  }

  /// Unsettled objects in reverse postorder of a depth-first search.
  std::vector<uint32_t> lastFirst() {
    struct Level {
      uint32_t Object;
      uint64_t Next;
    };
    std::vector<uint32_t> Result;
    std::vector<bool> Seen = Settled;
    std::vector<Level> Levels;
    for (uint32_t I = 0; I < H.objects(); ++I) {
      if (!isLeaked(I) || Seen[I])
        continue;
      Seen[I] = true;
      Levels.push_back({I, H.FirstEdge[I]});
      while (!Levels.empty()) {
        Level &Top = Levels.back();
        if (Top.Next == H.FirstEdge[Top.Object + 1]) {
          Result.push_back(Top.Object);
          Levels.pop_back();
          continue;
        }
        const uint32_t To = H.EdgeTo[Top.Next++];
        if (isLeaked(To) && !Seen[To]) {
          Seen[To] = true;
          Levels.push_back({To, H.FirstEdge[To]});
        }
      }
    }
    std::reverse(Result.begin(), Result.end());
    return Result;
  }

  const Heap &H;
  Analysis &A;
  std::vector<bool> Settled = std::vector<bool>(H.objects());
  std::vector<uint32_t> Heads;
};

} // namespace

std::vector<uint32_t> findLeaks(const Heap &H, Analysis &A) {
  return LeakFinder(H, A).run();
}

void sumLeaks(const Heap &H, Analysis &A) {
  std::map<std::tuple<uint32_t, std::string_view, Reach>, Leak> Sums;
  for (uint32_t I = 0; I < H.objects(); ++I) {
    if (A.Reaches[I] == Reach::Reachable)
      continue;
    Leak &L = Sums[{H.SiteOf[I], H.typeName(I), A.Reaches[I]}];
    L.Type = H.typeName(I);
    L.Site = H.SiteOf[I];
    L.How = A.Reaches[I];
    ++L.Objects;
    L.Bytes += H.Size[I];
    if (L.How != Reach::HeldByLeaked)
      L.Retained += A.Retained[I];
    if (H.AgeUs[I])
      L.AgeNs = std::max(L.AgeNs.value_or(0), (H.AgeUs[I] - 1) * 1000);
  }
  for (const auto &[Key, L] : Sums)
    A.Leaks.push_back(L);
  std::stable_sort(A.Leaks.begin(), A.Leaks.end(),
                   [](const Leak &X, const Leak &Y) {
                     return std::tuple(Y.Retained, Y.Bytes) <
                            std::tuple(X.Retained, X.Bytes);
                   });
}

} // namespace inmem::heap
