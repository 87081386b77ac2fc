//===- Phases.h - Parts of a run between marks ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mark is a named moment with totals in the trace: inmem_phase(),
// inmem_snapshot(), `inmem ctl PID snapshot`. The counts between two marks are
// their difference. docs/control.md has the syntax of --phase.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_PHASES_H
#define INMEM_REPORT_PHASES_H

#include "trace/read/Trace.h"

#include <string>
#include <string_view>
#include <vector>

namespace inmem::report {

/// The interval from one snapshot of a trace to another. Null: the start or the
/// end of the run. Points into the trace.
struct Interval {
  const trace::Snapshot *From = nullptr, *To = nullptr;
};

struct TimelineMark {
  std::string_view Name;
  const trace::Snapshot *At = nullptr; ///< never null
  bool BeginsPhase = false;            ///< false: names a snapshot
};

/// Sorted by time; marks without a snapshot are left out.
std::vector<TimelineMark> marksOf(const trace::Trace &T);

/// An interval from the start of the run begins at the last reset in it
/// instead: earlier counts are not part of the run.
Interval fromReset(const trace::Trace &T, Interval I);

/// The part that the user selects: `A..B`, `A..`, `..B` between the first marks
/// of these names (for B: the first after A), or `A`, the phase that begins
/// there and ends where the next one begins. `A#2` is the second mark of that
/// name. The start is the last reset before the part's end, if any. \returns an
/// error that lists the marks
trace::Result<Interval> findInterval(const trace::Trace &T,
                                     std::string_view Words);

/// Nanoseconds since recording began, by the wall clock while that advances
/// steadily.
uint64_t nanosecondsAt(const trace::Trace &T, const trace::Snapshot &S);
/// Run time of the process or, if it has not ended, its run time when it last
/// wrote its clock; 0 if unknown.
uint64_t durationOf(const trace::FileHeader &H);

} // namespace inmem::report

#endif
