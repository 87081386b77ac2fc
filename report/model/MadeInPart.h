//===- MadeInPart.h - Rows of what a part of a run allocated ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_MADEINPART_H
#define INMEM_REPORT_MODEL_MADEINPART_H

#include "report/model/Profile.h"

namespace inmem::report {

/// Makes rows say what a part of a run added to what was alive: their live
/// blocks become those at its end less those from before it, at least 0. Which
/// of the blocks at the end are older is not recorded. Totals stay as they are.
/// \returns whether there were blocks from before
bool leaveMadeInPart(Profile &P);

} // namespace inmem::report

#endif
