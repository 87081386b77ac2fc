//===- RowTotals.h - Sums of rows -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TRACE_ROWTOTALS_H
#define INMEM_TRACE_ROWTOTALS_H

#include "trace/format/Format.h"

namespace inmem::trace {

/// Sums of rows. Counts wrap on overflow, as the writer's do.
struct RowTotals {
  uint64_t Allocations = 0, Bytes = 0, Frees = 0, FreedBytes = 0;
  uint64_t Temporary = 0, Reallocations = 0;
  uint64_t Timed = 0, WeightedTimed = 0, SumTicks = 0;
  uint64_t MinTicks = 0, MaxTicks = 0; ///< valid if Timed > 0
  uint64_t MovedOut = 0, MovedOutBytes = 0;
  uint64_t InnerAllocations = 0, InnerBytes = 0;
  double WeightedAllocations = 0, WeightedBytes = 0;
  double WeightedFrees = 0, WeightedFreedBytes = 0;

  void add(const Row &R);
  void add(const RowTotals &R);
  /// Subtracts the figures of Before, an earlier state of the same rows (not
  /// below 0); lifetimes stay as they are.
  void subtract(const RowTotals &Before);
  /// These figures as a row without site and lifetimes.
  Row row() const;
};

} // namespace inmem::trace

#endif
