//===- PeakFormat.h - Live blocks at the process's peak -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of Peak and PeakRows extents (Format.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TRACE_PEAKFORMAT_H
#define INMEM_TRACE_PEAKFORMAT_H

#include <stdint.h>

namespace inmem::trace {

/// Blocks of a site that were alive at a new peak of the process, the last one
/// that was at least 1/128 above the one noted before. Rewritten in place: Used
/// is 0 during this.
struct PeakEntry {
  uint32_t Site;
  uint32_t Reserved;
  int64_t LiveBytes;
};
static_assert(sizeof(PeakEntry) == 16);

/// Counts of a site around the process's peak, all threads added up. Two
/// extents take turns: the last note before the peak and the first after it.
/// Rewritten in place: Used is 0 during this. The first element is of site 0:
/// Order numbers the note; Bytes is the highest that the process had reached by
/// then; Allocations is 1 if it was just rising to that, with a block that no
/// row had yet, and 0 if it had been there before.
struct PeakRow {
  uint32_t Site;
  uint32_t Order;
  uint64_t Allocations, Bytes;
  uint64_t Frees, FreedBytes; ///< and what __inmem_retag gave to other sites
};
static_assert(sizeof(PeakRow) == 40);

} // namespace inmem::trace

#endif
