//===- OverTime.h - Types and phases over the run ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_OVERTIME_H
#define INMEM_REPORT_MODEL_OVERTIME_H

#include "report/base/Growth.h"
#include "report/model/Profile.h"
#include "report/model/View.h"

#include <unordered_map>

namespace inmem::report {

// Timeline.cpp: Live bytes of each type at each snapshot.

/// \param SiteOfId rows of the trace's sites
void addTimeline(const trace::Trace &T,
                 const std::unordered_map<uint32_t, size_t> &SiteOfId,
                 Profile &Out);

// TypeGrowth.cpp: Live bytes of each type over time.

/// A moment of the run, neither its start nor its end.
bool isSnapshot(const TimePoint &P);
/// Periodic summaries were written: the time line is worth a look unasked.
bool hasSummaries(const Profile &P);

/// The last moment that is a snapshot; else the first moment. \pre the time
/// line has moments
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

// PhaseProfiles.cpp: A profile of each phase.

/// The phases of all traces in order, and the time before the first.
/// \param Options types and sites are chosen as for a profile
/// \param Most phases of a trace at most, the first ones
trace::Result<std::vector<PhaseResult>>
phasesOf(std::span<const trace::Trace> Traces, const ProfileOptions &Options,
         size_t Most);

} // namespace inmem::report

#endif
