//===- LifetimeSum.h - A lifetime while traces are added ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_LIFETIMESUM_H
#define INMEM_REPORT_MODEL_LIFETIMESUM_H

#include "report/model/RowSums.h"

namespace inmem::report {

/// Sum of the lifetimes of several rows.
struct LifetimeSum {
  Histogram Lifetimes;
  uint64_t Timed = 0;
  double Sum = 0; ///< of lifetimes in the unit, over Weight frees
  double Weight = 0;
  std::optional<uint64_t> Min, Max;
  /// Groups of freed blocks by size, with the means that were measured:
  /// Lifetimes are scaled to add up.
  SizeGroups Sizes;

  void add(const LifetimeSum &Other);
  /// Leaves only the lifetimes of a range.
  void keep(const ProfileOptions::Range &Of);
  /// \param To what the histogram has to add up to
  Lifetime finish(const Counts &To);
};

/// Lifetimes of one row. \p Raw: its buckets at the end; \p Before: where the
/// part of the run that is shown begins, or null. \p C: its counts in that
/// part.
LifetimeSum lifetimeOf(const trace::FileHeader &H, const RowSums &Sums,
                       trace::Buckets Raw, const trace::Buckets *Before,
                       const Counts &C, const Grid &Of);

} // namespace inmem::report

#endif
