//===- TypeGrowth.h - Live bytes of each type over time -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_TYPEGROWTH_H
#define INMEM_REPORT_TYPEGROWTH_H

#include "report/base/Growth.h"
#include "report/model/View.h"

namespace inmem::report {

/// A moment of the run, neither its start nor its end.
bool isSnapshot(const TimePoint &P);
/// Periodic summaries were written: the time line is worth a look unasked.
bool hasSummaries(const Profile &P);

/// The last moment that is one; the first moment where none is.
/// \pre the time line has moments
size_t lastSnapshot(const Profile &P);

/// One type, or its blocks of one name, over the run.
struct TypeGrowth {
  size_t Type = 0;                 ///< index into Profile::Types
  TypeRow Row;                     ///< points into the profile
  std::vector<uint64_t> LiveBytes; ///< one for each of Profile::Timeline
  Growth Of; ///< of the snapshots; neither start nor end of the run
};

/// Types that were ever alive at a snapshot: types that grow without bound
/// first, then by the highest live bytes.
std::vector<TypeGrowth> growthOfTypes(const Profile &P);
/// As above, one for each of typeRowsOf(): as people see them.
std::vector<TypeGrowth> growthOfRows(const Profile &P);

} // namespace inmem::report

#endif
