//===- RowSums.h - Counts and lifetimes, with sampling undone ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_ROWSUMS_H
#define INMEM_REPORT_MODEL_ROWSUMS_H

#include "report/model/Profile.h"

namespace inmem::report {

/// The trace's ImportedFlags that mark counts as unknown.
uint16_t unknownOf(const trace::FileHeader &H);

/// Sums of a row since the last reset, before scaling for sampling.
struct RowSums {
  trace::RowTotals Now;
  trace::RowTotals Before; ///< at the reset, or where the part begins
  bool Reset = false;      ///< Before is set, or Now is not the run's end
  bool SomeThreads =
      false; ///< other threads may have allocated the freed blocks
  bool Inconsistent = false; ///< more was freed than there was

  Counts counts(const trace::FileHeader &H);

private:
  void balance(uint64_t Gained, uint64_t Moved, uint64_t Carried,
               uint64_t Frees, uint64_t &OutGained, uint64_t &OutCarried,
               uint64_t &OutFrees, uint64_t &OutLive);
};

// LifetimeSum.cpp: A lifetime while traces are added.

/// Sum of the lifetimes of several rows.
struct LifetimeSum {
  Histogram Lifetimes;
  uint64_t Timed = 0;
  double Sum = 0; ///< of lifetimes, over Weight frees
  double Weight = 0;
  std::optional<uint64_t> Min, Max;
  /// Groups of freed blocks by size, with the measured means: Lifetimes are
  /// scaled to add up.
  SizeGroups Sizes;

  void add(const LifetimeSum &Other);
  /// Keeps only the lifetimes in a range.
  void keep(const ProfileOptions::Range &Of);
  /// \param To the sum that the histogram must have
  Lifetime finish(const Counts &To);
};

/// Lifetimes of one row. \p Raw: its buckets at the end; \p Before: its buckets
/// at the start of the selected part of the run, or null; \p C: its counts in
/// that part.
LifetimeSum lifetimeOf(const trace::FileHeader &H, const RowSums &Sums,
                       trace::Buckets Raw, const trace::Buckets *Before,
                       const Counts &C, const Grid &Of);

} // namespace inmem::report

#endif
