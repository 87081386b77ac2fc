//===- AllocationCost.h - Is allocation what takes the time? --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FINDINGS_ALLOCATIONCOST_H
#define INMEM_REPORT_FINDINGS_ALLOCATIONCOST_H

#include "report/model/Profile.h"

namespace inmem::report {

/// The part of a run's time that the allocator took.
struct AllocationCost {
  double Part = 0;       ///< of 1
  bool Measured = false; ///< by samples of profile=; else by a price a block
  /// Little enough that no finding makes the program faster.
  bool isLittle() const;
};

/// None: neither samples nor a duration are known, or the run was too short to
/// say.
std::optional<AllocationCost> allocationCost(const Profile &P);

/// One line for findings that promise fewer blocks: allocation is not what
/// takes the time, and profile= shows what does. Empty: it is, or that is not
/// known.
std::string whyNotFaster(const Profile &P);

} // namespace inmem::report

#endif
