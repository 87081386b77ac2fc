//===- LifetimeGrid.h - One grid for the lifetimes of all hosts -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces have buckets in ticks of their own clocks, which differ between hosts.
// The fleet has one grid, in nanoseconds (or bytes, for clock=events): a bucket
// for each of 0 to 7, then eight equal parts of each power of two. A bucket is
// at most an eighth of its lower edge wide.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FLEET_LIFEGRID_H
#define INMEM_FLEET_LIFEGRID_H

#include "report/base/Histogram.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace inmem::fleet {

/// Buckets that a signed column can express. The last one ends at its largest
/// value.
inline constexpr unsigned kGridBuckets = 488;

/// The bucket that contains a lifetime.
unsigned gridBucket(uint64_t Value);
/// The least value of a bucket; for kGridBuckets, the end of the last one.
uint64_t gridStart(unsigned Bucket);

struct GridCell {
  unsigned Bucket = 0;
  uint64_t Count = 0, Bytes = 0;
};
/// These lifetimes on the grid, in order, without empty buckets. Counts and
/// bytes add up as in Lifetimes. If a bucket of the trace covers several of the
/// grid's, it is divided in proportion.
std::vector<GridCell> onGrid(const report::Histogram &Lifetimes);

} // namespace inmem::fleet

#endif
