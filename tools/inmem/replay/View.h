//===- View.h - Results of a replay -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_REPLAY_VIEW_H
#define INMEM_TOOLS_REPLAY_VIEW_H

#include "replay/ReplayRuns.h"
#include "report/formats/Json.h"
#include "report/text/Table.h"

namespace inmem::tools {

/// Results of one allocator in all orders.
struct ReplayedRow {
  AllocatorChoice With;
  std::vector<ReplayedSize> Sizes; ///< by order; empty: it is not installed
};

struct ReplayView {
  const trace::Trace &Of;
  const Script &Steps;
  const std::vector<Order> &Orders;
  const std::vector<ReplayedRow> &Rows;
};

std::string replayText(const ReplayView &V, const report::Style &Look);
report::Json replayJson(const ReplayView &V);

} // namespace inmem::tools

#endif
