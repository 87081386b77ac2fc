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
/// True if periodic summaries were written, so that the time line is shown by
/// default.
bool hasSummaries(const Profile &P);

/// The last moment that is a snapshot; the first moment if there is none. \pre
/// the time line has moments
size_t lastSnapshot(const Profile &P);

/// The growth of a type, or of its blocks of one name, over the run.
struct TypeGrowth {
  size_t Type = 0;                 ///< index into Profile::Types
  TypeRow Row;                     ///< points into the profile
  std::vector<uint64_t> LiveBytes; ///< one for each of Profile::Timeline
  Growth Of; ///< over snapshots, without start and end of the run
};

/// Types that were alive at any snapshot: types that grow without bound first,
/// then by the highest live bytes.
std::vector<TypeGrowth> growthOfTypes(const Profile &P);
/// As above, with one entry for each of typeRowsOf(), as reports show them.
std::vector<TypeGrowth> growthOfRows(const Profile &P);

// PhaseProfiles.cpp: A profile of each phase.

/// The phases of all traces in order, and the time before the first. \param
/// Options types and sites are selected as for a profile \param Most the
/// highest number of phases of a trace, of which the first are kept
trace::Result<std::vector<PhaseResult>>
phasesOf(std::span<const trace::Trace> Traces, const ProfileOptions &Options,
         size_t Most);

} // namespace inmem::report

#endif
