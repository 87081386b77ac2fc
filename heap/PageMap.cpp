//===- PageMap.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/PageMap.h"

#include <algorithm>
#include <map>

namespace inmem::heap {

namespace {

class MapBuilder {
public:
  MapBuilder(const Heap &H, const Residency &R,
             const std::vector<HeapPage> &Pages)
      : H(H), R(R), All(Pages) {}

  PageMap run(size_t MostDots) {
    M.PageBytes = R.PageBytes;
    collect();
    M.PagesPerDot =
        std::max<uint64_t>(1, (Cells.size() + MostDots - 1) / MostDots);
    for (size_t I = 0; I < Cells.size(); I += M.PagesPerDot)
      addDot(I);
    addShares();
    return std::move(M);
  }

private:
  /// A page, in memory or not.
  struct Cell {
    uint64_t Number;
    const HeapPage *Page; ///< null: not in memory
  };

  bool isArena(const HeapPage &P) const {
    return P.Region && H.Regions[P.Region - 1].Kind == RegionKind::Arena;
  }

  /// Pages of heaps, and of other memory that has blocks, with the gaps in
  /// them.
  void collect() {
    constexpr uint64_t kLongestGap = 256;
    std::vector<bool> HasBlocks(H.Regions.size() + 1);
    for (const HeapPage &P : All)
      if (P.Used)
        HasBlocks[P.Region] = true;
    for (const HeapPage &P : All) {
      if (!isArena(P) && !HasBlocks[P.Region])
        continue;
      if (!Cells.empty()) {
        const uint64_t Next = Cells.back().Number + 1;
        const bool IsNear = P.Number - Next <= kLongestGap &&
                            Cells.back().Page &&
                            Cells.back().Page->Region == P.Region;
        for (uint64_t N = Next; IsNear && N < P.Number; ++N)
          Cells.push_back({N, nullptr});
      }
      Cells.push_back({P.Number, &P});
    }
  }

  void addDot(size_t First) {
    const size_t End = std::min(Cells.size(), First + M.PagesPerDot);
    uint64_t Used = 0, WithBlocks = 0, Trimmed = 0, Kept = 0;
    for (size_t I = First; I < End; ++I) {
      const HeapPage *P = Cells[I].Page;
      if (!P)
        continue;
      const uint64_t InUse = uint64_t{P->Used} + P->Unrecorded + P->Header;
      Used += std::min(InUse, R.PageBytes);
      WithBlocks += InUse > 0;
      Trimmed += InUse == 0 && P->IsTrimmed;
      Kept += InUse == 0 && !P->IsTrimmed;
    }
    if (First == 0 || Cells[First].Number != Cells[First - 1].Number + 1)
      M.Stretches.push_back(
          {M.States.size(), Cells[First].Number * R.PageBytes});
    if (WithBlocks) {
      const uint64_t Tenths = Used * 10 / (WithBlocks * R.PageBytes);
      M.States += static_cast<char>('0' + std::min<uint64_t>(Tenths, 9));
    } else {
      M.States += Trimmed > 0 && Trimmed >= Kept ? 't' : Kept ? 'k' : 'a';
    }
  }

  /// The dot of a page; none if the page is not in the picture.
  std::optional<uint64_t> dotOf(uint64_t Number) {
    while (At < Cells.size() && Cells[At].Number < Number)
      ++At;
    if (At == Cells.size() || Cells[At].Number != Number)
      return std::nullopt;
    return At / M.PagesPerDot;
  }

  void addShares() {
    std::map<uint32_t, PageMap::Share> Open; ///< one dot's, by line
    for (uint32_t I = 0; I < H.objects(); ++I) {
      const auto Line = R.LineOfSite.find(H.SiteOf[I]);
      if (Line == R.LineOfSite.end())
        continue;
      const uint64_t Begin = H.Address[I], End = Begin + H.Size[I];
      for (uint64_t N = Begin / R.PageBytes; N * R.PageBytes < End; ++N) {
        const auto Dot = dotOf(N);
        if (!Dot)
          continue;
        if (!Open.empty() && Open.begin()->second.Dot != *Dot)
          close(Open);
        PageMap::Share &S =
            Open.try_emplace(Line->second,
                             PageMap::Share{*Dot, Line->second, 0, 0})
                .first->second;
        ++S.Blocks;
        S.Bytes += std::min(End, (N + 1) * R.PageBytes) -
                   std::max(Begin, N * R.PageBytes);
      }
    }
    close(Open);
  }

  void close(std::map<uint32_t, PageMap::Share> &Open) {
    constexpr size_t kMost = 3;
    std::vector<PageMap::Share> Sorted;
    Sorted.reserve(Open.size());
    for (const auto &[Line, S] : Open)
      Sorted.push_back(S);
    std::ranges::stable_sort(Sorted, std::ranges::greater(),
                             &PageMap::Share::Bytes);
    Sorted.resize(std::min(Sorted.size(), kMost));
    M.Shares.insert(M.Shares.end(), Sorted.begin(), Sorted.end());
    Open.clear();
  }

  const Heap &H;
  const Residency &R;
  const std::vector<HeapPage> &All;
  PageMap M;
  std::vector<Cell> Cells;
  size_t At = 0;
};

} // namespace

PageMap pageMapOf(const Heap &H, const Residency &R,
                  const std::vector<HeapPage> &Pages, size_t MostDots) {
  return MapBuilder(H, R, Pages).run(MostDots);
}

report::Json pageMapJson(const PageMap &M) {
  report::Json Out = {{"page_bytes", M.PageBytes},
                      {"pages_per_dot", M.PagesPerDot},
                      {"states", M.States}};
  report::Json Stretches = report::Json::array(),
               Shares = report::Json::array();
  for (const PageMap::Stretch &S : M.Stretches) {
    Stretches.push_back(S.Dot);
    Stretches.push_back(S.Address);
  }
  for (const PageMap::Share &S : M.Shares)
    for (const uint64_t Value : {S.Dot, uint64_t{S.Line}, S.Blocks, S.Bytes})
      Shares.push_back(Value);
  Out["stretches"] = std::move(Stretches);
  Out["shares"] = std::move(Shares);
  return Out;
}

} // namespace inmem::heap
