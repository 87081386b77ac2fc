//===- TimelineReport.h - Live bytes over the run -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the summaries that periodic=, phases and snapshots leave in a trace: how
// each type grew, and which types grow without bound (Growth.h). The printers
// of whole reports call this.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_TIMELINEREPORT_H
#define INMEM_REPORT_TIMELINEREPORT_H

#include "report/model/Growth.h"
#include "report/model/View.h"
#include "report/text/Table.h"

#include <nlohmann/json_fwd.hpp>

namespace inmem::report {

/// Periodic summaries were written: the time line is worth a look unasked.
bool hasSummaries(const Profile &P);

/// One type over the run.
struct TypeGrowth {
  size_t Type = 0;                 ///< index into Profile::Types
  std::vector<uint64_t> LiveBytes; ///< one for each of Profile::Timeline
  Growth Of; ///< of the snapshots; neither start nor end of the run
};

/// Types that were ever alive at a snapshot: those that grow without bound
/// first, then by the highest live bytes.
std::vector<TypeGrowth> growthOfTypes(const Profile &P);

/// What is wrong, a line each: `Foo grows without bound: …`.
std::vector<std::string> growthFindings(const Profile &P, const Style &S);
/// Findings and a table with sparklines; empty without a time line.
std::string timelineTable(const Profile &P, const View &V, const Style &S);
/// Points and, by type, live bytes at each, slope and finding; null without.
nlohmann::ordered_json timelineJson(const Profile &P);
nlohmann::ordered_json findingsJson(const Profile &P);
/// One row a type and point.
std::string timelineCsv(const Profile &P);

} // namespace inmem::report

#endif
