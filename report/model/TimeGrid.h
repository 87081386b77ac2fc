//===- TimeGrid.h - Each row's counts in each part of a run ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run cut into parts at its snapshots or, if every event was recorded, into
// parts of equal length: for each part, the allocations and frees of each row,
// the lifetimes of the freed blocks, and each thread's events. Memory grows
// with rows and parts, not with events.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_TIMEGRID_H
#define INMEM_REPORT_TIMEGRID_H

#include "report/model/Profile.h"

#include <unordered_map>

namespace inmem::report {

struct TimeCounts {
  int64_t Allocations = 0, Bytes = 0, Frees = 0, FreedBytes = 0;
  /// Increase in live blocks from the part's start to its end.
  int64_t Live = 0, LiveBytes = 0;

  bool none() const {
    return Allocations == 0 && Bytes == 0 && Frees == 0 && FreedBytes == 0 &&
           Live == 0 && LiveBytes == 0;
  }
};

struct TimePart {
  uint64_t EndNs = 0; ///< the part begins at the previous one's end
  std::map<uint32_t, TimeCounts> Rows;
  /// Keyed by the type (index into Profile::Types) and the class of lifetime.
  std::map<std::pair<uint32_t, uint32_t>, Bucket> Lifetimes;
  std::map<uint32_t, TimeCounts> Threads; ///< by index; Live is not set
};

struct TimeGrid {
  uint64_t BeginNs = 0;
  std::vector<TimePart> Parts;
  bool OfEvents = false;   ///< the parts have equal lengths
  bool HasThreads = false; ///< Threads are known
};

/// Bounds of classes of lifetimes, for each unit: class I is from I-1 to I.
std::span<const uint64_t> lifetimeEdges();

/// The caller's mapping of rows.
struct TimeRows {
  std::unordered_map<uint64_t, uint32_t> RowOf; ///< by EntryRow::Entry
  std::vector<uint32_t> TypeOf;                 ///< by row
};

/// \param Most the highest number of parts \returns nothing for a run without
/// snapshots and events
std::optional<TimeGrid> timeGridOf(const trace::Trace &T, const TimeRows &Rows,
                                   size_t Most);

} // namespace inmem::report

#endif
