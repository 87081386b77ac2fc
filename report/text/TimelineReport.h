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

#include "report/model/TypeGrowth.h"
#include "report/model/View.h"
#include "report/text/Table.h"

namespace inmem::report {

/// Findings and a table with sparklines; empty without a time line.
std::string timelineTable(const Profile &P, const View &V, const Style &S);
/// One row a type and point.
std::string timelineCsv(const Profile &P);

} // namespace inmem::report

#endif
