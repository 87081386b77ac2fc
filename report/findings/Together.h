//===- Together.h - Savings of several findings together ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_FINDINGS_TOGETHER_H
#define INMEM_REPORT_FINDINGS_TOGETHER_H

#include "report/findings/Findings.h"

#include <span>

namespace inmem::report {

struct Savings {
  uint64_t Blocks = 0, Bytes = 0; ///< of all that the run allocates
  uint64_t PeakBytes = 0;
};

/// Savings of \p Some, of \p P's allocations and peak. The blocks of a site
/// count once: of findings that share sites, later ones save what earlier ones
/// leave.
Savings savedTogether(const Profile &P, std::span<const Finding> Some);

} // namespace inmem::report

#endif
