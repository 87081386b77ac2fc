//===- PageMap.h - The heap as a picture of pages ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_HEAP_PAGEMAP_H
#define INMEM_HEAP_PAGEMAP_H

#include "heap/Residency.h"
#include "report/formats/Json.h"

#include <string>

namespace inmem::heap {

/// Pages of the allocator in order of addresses, as dots.
struct PageMap {
  uint64_t PageBytes = 0, PagesPerDot = 1;
  /// A letter per dot. 0 to 9: tenths of its pages with blocks in use; t: free,
  /// malloc_trim(0) returns it; k: free and kept; a: not in memory.
  std::string States;
  /// A run of dots that does not follow the previous run in memory.
  struct Stretch {
    uint64_t Dot, Address;
  };
  std::vector<Stretch> Stretches;
  /// Blocks of one line on a dot, for the lines with the most bytes.
  struct Share {
    uint64_t Dot;
    uint32_t Line; ///< index into Residency::Lines
    uint64_t Blocks, Bytes;
  };
  std::vector<Share> Shares;
};

/// \p Pages: from explain(). \p MostDots: with more pages, several share a dot.
PageMap pageMapOf(const Heap &H, const Residency &R,
                  const std::vector<HeapPage> &Pages, size_t MostDots);

/// Members `page_bytes`, `pages_per_dot`, `states`; `stretches`: dot and
/// address, alternating; `shares`: dot, line, blocks and bytes, repeating.
report::Json pageMapJson(const PageMap &M);

} // namespace inmem::heap

#endif
