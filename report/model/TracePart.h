//===- TracePart.h - A trace that is added, in part -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_TRACEPART_H
#define INMEM_REPORT_MODEL_TRACEPART_H

#include "report/model/PartRows.h"

namespace inmem::report {

/// A trace, and the part of it that is shown.
struct TracePart {
  const trace::Trace &T;
  Interval Shown;
  std::optional<ThreadRows> ByThread; ///< of a part of the run, if known
};

} // namespace inmem::report

#endif
