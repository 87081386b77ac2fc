//===- BlockTable.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/BlockTable.h"

namespace inmem::rt {

void BlockTable::build(const KnownBlocks &All) {
  constexpr uintptr_t kGap = 1024; // pages
  Blocks = All;
  Clusters.release();
  FirstInPage.release();
  Last = 0;
  if (All.Count > UINT32_MAX)
    return;
  Cluster Current = {};
  // Makes the entries of the pages up to Page begin with block I.
  const auto Fill = [&](uintptr_t Page, size_t I) {
    while (Current.Table + (Page - Current.FirstPage) >= FirstInPage.size())
      if (!FirstInPage.add(static_cast<uint32_t>(I)))
        return false;
    return true;
  };
  for (size_t I = 0; I < All.Count; ++I) {
    const uintptr_t Page = All[I] >> kPageShift;
    bool Good = true;
    if (I == 0 || Page - Current.LastPage > kGap) {
      if (I)
        Good = Fill(Current.LastPage + 1, I) && Clusters.add(Current);
      Current = {Page, Page, FirstInPage.size()};
    }
    Current.LastPage = Page;
    if (!Good || !Fill(Page, I)) {
      Clusters.release();
      return;
    }
  }
  if (All.Count &&
      !(Fill(Current.LastPage + 1, All.Count) && Clusters.add(Current)))
    Clusters.release();
}

/// The last cluster that begins at \p Page or before it, or null.
const BlockTable::Cluster *BlockTable::clusterOf(uintptr_t Page) const {
  const auto Has = [&](size_t I) {
    return Clusters[I].FirstPage <= Page &&
           (I + 1 == Clusters.size() || Page < Clusters[I + 1].FirstPage);
  };
  if (Last < Clusters.size() && Has(Last))
    return &Clusters[Last];
  size_t Low = 0, High = Clusters.size();
  while (Low < High) {
    const size_t Middle = (Low + High) / 2;
    if (Clusters[Middle].FirstPage <= Page)
      Low = Middle + 1;
    else
      High = Middle;
  }
  if (Low == 0)
    return nullptr;
  Last = Low - 1;
  return &Clusters[Last];
}

size_t BlockTable::search(uintptr_t Address, size_t Low, size_t High) const {
  while (Low < High) {
    const size_t Middle = (Low + High) / 2;
    if (Blocks[Middle] <= Address)
      Low = Middle + 1;
    else
      High = Middle;
  }
  return Low;
}

size_t BlockTable::countUpTo(uintptr_t Address) const {
  if (!Clusters.size())
    return search(Address, 0, Blocks.Count);
  const uintptr_t Page = Address >> kPageShift;
  const Cluster *C = clusterOf(Page);
  if (!C)
    return 0;
  const size_t End = C->Table + (C->LastPage - C->FirstPage) + 1;
  if (Page > C->LastPage)
    return FirstInPage[End];
  const size_t At = C->Table + (Page - C->FirstPage);
  return search(Address, FirstInPage[At], FirstInPage[At + 1]);
}

} // namespace inmem::rt
