//===- RowSums.h - Counts of a site, with sampling undone -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_ROWSUMS_H
#define INMEM_REPORT_MODEL_ROWSUMS_H

#include "report/model/Profile.h"

namespace inmem::report {

/// The trace's ImportedFlags that say which counts are unknown.
uint16_t unknownOf(const trace::FileHeader &H);

/// Sums of a row since the last reset, before sampling is undone.
struct RowSums {
  trace::RowTotals Now;
  trace::RowTotals Before;   ///< at the reset, or where the part begins
  bool Reset = false;        ///< there is a Before, or Now is not the end
  bool SomeThreads = false;  ///< others may have allocated what these freed
  bool Inconsistent = false; ///< more was freed than there was

  Counts counts(const trace::FileHeader &H);

private:
  void balance(uint64_t Gained, uint64_t Moved, uint64_t Carried,
               uint64_t Frees, uint64_t &OutGained, uint64_t &OutCarried,
               uint64_t &OutFrees, uint64_t &OutLive);
};

} // namespace inmem::report

#endif
