//===- Peaks.h - The most that was alive at any time ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_PEAKS_H
#define INMEM_REPORT_MODEL_PEAKS_H

#include "report/model/Blocks.h"

namespace inmem::report {

/// Peaks of the process and of types, and the sites' bytes at the process's
/// peak.
class PeakSums {
public:
  PeakSums(const ProfileOptions &With, Profile &Out, TypeRows &Types,
           const BlockSums &Blocks, const Typing &Rules)
      : Options(With), Out(Out), Types(Types), Blocks(Blocks), Rules(Rules) {}

  /// Adds a trace, whose blocks have been added.
  void add(const TracePart &Part);
  /// Call this for a trace of which only some blocks are selected: peaks cover
  /// all blocks.
  void addUnknown() { PeakKnown = PeakPartsKnown = false; }
  void finish();

private:
  void addWhole(const TracePart &Part);
  void addTypes(const trace::Trace &T, const trace::PartPeaks &Peaks);
  void addParts(const TracePart &Part); // PeakParts.cpp
  void bound();
  void finishParts(); // PeakParts.cpp

  const ProfileOptions &Options;
  Profile &Out;
  TypeRows &Types;
  const BlockSums &Blocks;
  const Typing &Rules;
  std::map<size_t, uint64_t> RecordedPeaks; ///< by type, sums over traces
  /// Types that read the same in reports, and had their peaks at different
  /// times.
  std::set<size_t> Merged;
  bool PeakKnown = true;
  bool TypePeaksKnown = true;
  bool PeakPartsKnown = true; ///< SiteResult::Peak, TypeResult::Peak
};

} // namespace inmem::report

#endif
