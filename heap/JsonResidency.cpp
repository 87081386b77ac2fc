//===- JsonResidency.cpp - Schema inmem-resident/1 ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/PageMap.h"
#include "heap/SnapshotRows.h"
#include "heap/SnapshotViews.h"

#include <algorithm>

namespace inmem::heap {

using report::Json;
using report::orNull;

namespace {

Json nameOrNull(std::string_view Value) { return orNull(std::string(Value)); }

const char *nameOf(AllocatorKind Kind) {
  switch (Kind) {
  case AllocatorKind::Glibc:
  case AllocatorKind::GlibcUnknown:
    return "glibc";
  case AllocatorKind::Jemalloc:
    return "jemalloc";
  case AllocatorKind::Tcmalloc:
    return "tcmalloc";
  case AllocatorKind::Mimalloc:
    return "mimalloc";
  case AllocatorKind::Unknown:
    break;
  }
  return nullptr;
}

Json allocatorOf(AllocatorKind Kind) {
  const char *Name = nameOf(Kind);
  return Name ? Json(Name) : Json();
}

Json partsInMemory(const Residency &R) {
  Json Out = Json::array();
  for (size_t I = 0; I < kParts; ++I)
    Out.push_back(
        {{"part", nameOf(static_cast<Part>(I))}, {"bytes", R.Bytes[I]}});
  return Out;
}

/// Resident bytes of live blocks, by type.
Json typesInMemory(const Residency &R, size_t Top) {
  struct Sum {
    std::string_view Type;
    uint64_t Bytes = 0, Untouched = 0;
  };
  std::map<std::string_view, Sum> ByType;
  for (const Line &L : R.Lines) {
    Sum &S = ByType[L.Type];
    S.Type = L.Type;
    S.Bytes += L.ResidentBytes;
    S.Untouched += L.UntouchedBytes;
  }
  std::vector<Sum> All;
  All.reserve(ByType.size());
  for (const auto &[Type, S] : ByType)
    All.push_back(S);
  std::stable_sort(All.begin(), All.end(), [](const Sum &A, const Sum &B) {
    return A.Bytes > B.Bytes;
  });
  return arrayOf(All, Top, [](const Sum &S) -> Json {
    return {{"type", nameOrNull(S.Type)},
            {"bytes", S.Bytes},
            {"untouched_bytes", S.Untouched}};
  });
}

Json pinJson(const Heap &H, const Line &L) {
  return withSite(
      {{"type", nameOrNull(L.Type)},
       {"name", shownBlocks(H, L.Type, L.Site)},
       {"holds_back_bytes", L.HoldsBack},
       {"live_bytes", L.LiveBytes},
       {"untouched_bytes", L.UntouchedBytes},
       {"blocks", L.Blocks},
       {"allocated_blocks", L.Allocated ? Json(L.Allocated) : Json()},
       {"timed_blocks", L.TimedBlocks},
       {"mean_age_us", L.TimedBlocks ? Json(L.AgeUs / L.TimedBlocks) : Json()}},
      H, L.Site);
}

} // namespace

std::optional<std::vector<std::string>> missingFeatures(const Heap &H) {
  const uint64_t Has = H.Header.Kernel;
  if (!(Has & kKernelAsked))
    return std::nullopt;
  std::vector<std::string> Out;
  for (const auto &[Feature, Name] :
       {std::pair(kKernelHuge, "huge pages"), std::pair(kKernelKsm, "KSM"),
        std::pair(kKernelSwap, "swap"), std::pair(kKernelHugetlb, "hugetlbfs")})
    if (!(Has & Feature))
      Out.emplace_back(Name);
  return Out;
}

std::optional<uint64_t> mergedBytes(const Heap &H) {
  if (H.Header.KsmBytes == kNotKnown || H.Header.Kernel == 0)
    return std::nullopt;
  return H.Header.KsmBytes;
}

Json residencyJson(const ResidencyView &V, size_t Top) {
  const Residency &R = V.R;
  Json Out = {{"schema", "inmem-resident/1"},
              {"process",
               {{"pid", V.H.Header.Pid},
                {"taken_unix_ns", V.H.Header.UnixNs},
                {"pause_ns", V.H.Header.PauseNs}}},
              {"allocator", allocatorOf(V.H.Header.Allocator)},
              {"page_bytes", R.PageBytes},
              {"rss_bytes", R.RssBytes},
              {"pss_bytes", orNull(V.PssBytes)},
              {"huge_bytes", R.HugeBytes},
              {"swapped_bytes", R.SwappedBytes},
              {"hugetlb_bytes", V.H.Header.HugetlbBytes},
              {"page_table_bytes", V.H.Header.PageTableBytes
                                       ? Json(V.H.Header.PageTableBytes)
                                       : Json()},
              {"ksm_bytes", orNull(mergedBytes(V.H))},
              {"not_on_this_kernel", orNull(missingFeatures(V.H))},
              {"partial", whyPartial(V.H)}};
  Out["parts"] = partsInMemory(R);
  Out["unrecorded"] = {{"blocks", R.UnrecordedBlocks},
                       {"bytes", R.UnrecordedBytes}};
  Out["types"] = typesInMemory(R, Top);
  Out["pins"] =
      arrayOf(R.Lines, Top, [&](const Line &L) { return pinJson(V.H, L); });
  Out["owners"] = arrayOf(R.Owners, Top, [&](const Owner &O) -> Json {
    Json Row = {{"part", nameOf(O.Of)},
                {"name", nameOrNull(O.Name)},
                {"bytes", O.Bytes}};
    if (O.Of == Part::Stacks)
      Row["deepest_bytes"] = O.Deepest;
    return O.Site ? withSite(std::move(Row), V.H, O.Site) : Row;
  });
  Out["remedies"] = arrayOf(V.Remedies, 0, [&](const Remedy &M) -> Json {
    Json Row = {{"remedy", nameOf(M.What)},
                {"saves_bytes", M.SavesBytes},
                {"measured_bytes", orNull(M.MeasuredBytes)}};
    if (M.Lines.empty())
      return Row;
    Row["lines"] = Json::array();
    for (const uint32_t L : M.Lines)
      Row["lines"].push_back(withSite(
          {{"type", nameOrNull(R.Lines[L].Type)},
           {"name", shownBlocks(V.H, R.Lines[L].Type, R.Lines[L].Site)}},
          V.H, R.Lines[L].Site));
    return Row;
  });
  return Out;
}

Json residencyPage(const Heap &H) {
  constexpr size_t kMostDots = 12000, kMostRows = 500;
  std::vector<HeapPage> Pages;
  const auto R = explain(H, &Pages);
  if (!R)
    return nullptr;
  const std::vector<Remedy> All = remedies(H, *R);
  Json Out = residencyJson({H, *R, All, std::nullopt}, kMostRows);
  Out["map"] = pageMapJson(pageMapOf(H, *R, Pages, kMostDots));
  return Out;
}

} // namespace inmem::heap
