//===- FreePairs.h - Who frees what whom allocated ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FREEPAIRS_H
#define INMEM_REPORT_FREEPAIRS_H

#include "report/model/View.h"

namespace inmem::report {

/// A cell of the matrix with its two functions chosen: the innermost frame that
/// matters to the view's blame options or, without any, that is not of the
/// system's libraries. Empty functions: no frame matters, or not known.
struct FreePair {
  const FreeResult *Cell;
  SourceLocation Allocating, Freeing;
};
std::vector<FreePair> freePairs(const Profile &P, const View &V);

/// Sums over cells.
struct FreeTotals {
  uint64_t Frees = 0, Bytes = 0;
  void add(const FreeResult &R) {
    Frees += R.Frees;
    Bytes += R.FreedBytes;
  }
};

} // namespace inmem::report

#endif
