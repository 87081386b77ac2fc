//===- SnapshotViews.h - Snapshots for people and programs ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_HEAP_SNAPSHOTVIEWS_H
#define INMEM_HEAP_SNAPSHOTVIEWS_H

#include "heap/Analysis.h"
#include "heap/Residency.h"
#include "report/formats/Json.h"
#include "report/text/Table.h"

#include <optional>

namespace inmem::heap {

/// \param Top rows per table; 0 for all
std::string textOf(const Heap &H, const Analysis &A, const report::Style &Look,
                   size_t Top);
/// The shortest paths from a root to the largest retainers of a type. \p Type:
/// as reports show it, or a glob.
std::string whyText(const Heap &H, const Analysis &A, const report::Style &Look,
                    const std::string &Type, size_t Top);
/// Schema inmem-heap/1.
std::string jsonOf(const Heap &H, const Analysis &A, size_t Top);
/// As above, for the page of `inmem html`, with at most 500 rows per table,
/// `holders`: heldByType() as arrays, and `aliases`: shownType() by type.
report::Json pageOf(const Heap &H, const Analysis &A);

std::string diffText(const Heap &Old, const Analysis &OldA, const Heap &New,
                     const Analysis &NewA, const report::Style &Look,
                     size_t Top);
std::string diffJson(const Heap &Old, const Analysis &OldA, const Heap &New,
                     const Analysis &NewA, size_t Top);

/// Chrome's .heapsnapshot. If there are more than \p Most objects, small
/// objects are merged per type and holder.
std::string chromeOf(const Heap &H, const Analysis &A, size_t Most);

/// Perfetto's heap graph.
std::string perfettoOf(const Heap &H);

/// Adds `site` and, if known, `caller` to a row of JSON.
report::Json withSite(report::Json Row, const Heap &H, uint32_t Site);
/// "make(int) at shop.cpp:12"; empty if unknown.
std::string locationOf(const Heap &H, uint32_t Site);
/// As above, for a column of a table: "make(int)  shop.cpp:12".
std::string locationCell(const Heap &H, const report::Style &Look,
                         uint32_t Site);
/// "global libshop.so+0x40 -> .cache.entries[] -> ->name"
std::string wayText(const Heap &H, const Analysis &A, uint32_t Object);
/// "Cache.entries", "Cache[]".
std::string memberText(std::string_view Owner, std::string_view Field);
/// The reasons why blocks may be missing in a snapshot; empty if none are.
std::vector<std::string> whyPartial(const Heap &H);
/// Features that the kernel of the process does not have: "huge pages", "KSM",
/// "swap", "hugetlbfs". Their figures are 0. None: not known.
std::optional<std::vector<std::string>> missingFeatures(const Heap &H);
/// The size of pages that KSM has merged with equal ones; none: not known.
std::optional<uint64_t> mergedBytes(const Heap &H);
/// The type as reports show it.
std::string shownType(std::string_view Type);
/// The blocks as reports name them: by the library function that allocates
/// them, or by their type.
std::string shownBlocks(const Heap &H, std::string_view Type, uint32_t Site);

/// The input of a view.
struct ResidencyView {
  const Heap &H;
  const Residency &R;
  const std::vector<Remedy> &Remedies;
  /// Proportional set size of the process; only known while it runs.
  std::optional<uint64_t> PssBytes;
};

/// \param Top rows per table; 0 for all
std::string residencyText(const ResidencyView &V, const report::Style &Look,
                          size_t Top);
/// Schema inmem-resident/1.
report::Json residencyJson(const ResidencyView &V, size_t Top);
/// As above, with the heap as dots in `map` (PageMap.h), for the page. Null if
/// it cannot be explained.
report::Json residencyPage(const Heap &H);

} // namespace inmem::heap

#endif
