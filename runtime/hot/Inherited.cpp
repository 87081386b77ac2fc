//===- Inherited.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hot/Inherited.h"

#include "registry/SiteRegistry.h"
#include "state/Runtime.h"
#include "state/ThreadRows.h"
#include "tables/PagedArray.h"

#include <string.h>

namespace inmem::rt {

using namespace trace;

namespace {

/// For each site id: the number of the parent's live blocks, and the row that
/// counts their frees.
struct Inherited {
  uint64_t Blocks, Bytes;
  Row *R;
};
constinit PagedArray<Inherited> OfSite = {}; ///< Count is sites + 1, or 0

/// As OfSite, computed from the rows before a fork. Only valid if no other
/// thread counts until the fork; otherwise the child walks the index.
constinit PagedArray<Inherited> ForChild = {}; ///< Count 0: invalid

/// Fills \p Of with \p Count zeros; its own count stays 0 until they are set.
/// False when out of memory.
bool makeZeros(PagedArray<Inherited> &Of, uint32_t Count) {
  Of.Count = 0;
  if (!Of.reserve(Count))
    return false;
  memset(Of.Data, 0, Count * sizeof(Inherited));
  return true;
}

void lookThroughIndex() {
  const uint32_t Count = Process.InheritedSites + 1;
  if (!makeZeros(OfSite, Count))
    return;
  OfSite.Count = Count;
  forEachBlock([](const Block &B) {
    if (B.site() == 0 || B.site() >= OfSite.Count)
      return;
    Inherited &I = OfSite[plainSite(B.site())];
    I.Blocks += 1;
    I.Bytes += B.Size;
  });
}

} // namespace

void countForChild() {
  const uint32_t Count = siteCount() + 1;
  if (!makeZeros(ForChild, Count))
    return;
  auto Add = [](const Row &R) {
    if (kindOfSite(R.Site) >= INMEM_SITE_OBJECT)
      return; // objects are not blocks
    Inherited &I = ForChild[plainSite(R.Site)];
    I.Blocks += R.Allocations - R.MovedOut - R.Frees;
    I.Bytes += R.Bytes - R.MovedOutBytes - R.FreedBytes;
  };
  forEachRow(Add);
  for (uint32_t I = 1; I < OfSite.Count; ++I)
    if (OfSite[I].R)
      Add(*OfSite[I].R);
  ForChild.Count = Count;
}

void dropCountForChild() { ForChild.Count = 0; }

void writeInherited() {
  OfSite.release();
  if (ForChild.Count == Process.InheritedSites + 1) {
    OfSite = ForChild;
    ForChild = {};
  } else {
    lookThroughIndex();
  }
  ForChild.Count = 0;
  uint64_t Sites = 0;
  for (uint32_t I = 1; I < OfSite.Count; ++I)
    Sites += OfSite[I].Blocks > 0;
  if (Sites == 0)
    return;
  ExtentHeader *E =
      Process.Trace.addExtent(ExtentKind::Rows, 0, 0, Sites * sizeof(Row));
  if (!E)
    return;
  auto *R = reinterpret_cast<Row *>(E + 1);
  for (uint32_t I = 1; I < OfSite.Count; ++I) {
    if (OfSite[I].Blocks == 0)
      continue;
    R->Site = I;
    R->Type = writeInheritedSite(I);
    R->Allocations = OfSite[I].Blocks;
    R->Bytes = OfSite[I].Bytes;
    OfSite[I].R = R++;
  }
  __atomic_store_n(&E->Used, Sites, __ATOMIC_RELEASE);
}

void freedInherited(const Block &B) {
  Row *R = B.site() < OfSite.Count ? OfSite[plainSite(B.site())].R : nullptr;
  // The block of an event that a signal handler had interrupted at the fork may
  // not be counted here.
  if (!R || __atomic_load_n(&R->Frees, __ATOMIC_RELAXED) >= R->Allocations)
    return;
  __atomic_fetch_add(&R->Frees, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&R->FreedBytes, B.Size, __ATOMIC_RELAXED);
}

} // namespace inmem::rt
