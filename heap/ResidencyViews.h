//===- ResidencyViews.h - Resident memory, shown ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_HEAP_RESIDENCYVIEWS_H
#define INMEM_HEAP_RESIDENCYVIEWS_H

#include "heap/Residency.h"
#include "report/formats/Json.h"
#include "report/text/Table.h"

#include <optional>

namespace inmem::heap {

/// The input of a view.
struct ResidencyView {
  const Heap &H;
  const Residency &R;
  const std::vector<Remedy> &Remedies;
  /// Proportional set size of the process; only known while it runs.
  std::optional<uint64_t> PssBytes;
};

/// Rows a table; 0: all.
std::string residencyText(const ResidencyView &V, const report::Style &Look,
                          size_t Top);
/// Schema inmem-resident/1.
report::Json residencyJson(const ResidencyView &V, size_t Top);
/// As above, with the heap as dots in `map` (PageMap.h), for the page. Null if
/// it cannot be explained.
report::Json residencyPage(const Heap &H);

} // namespace inmem::heap

#endif
