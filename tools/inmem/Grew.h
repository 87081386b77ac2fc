//===- Grew.h - Memory that a running program keeps -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_GREW_H
#define INMEM_TOOLS_GREW_H

#include "cli/Command.h"
#include "live/LiveProcess.h"

namespace inmem::tools {

/// `inmem ctl PID grew [SECONDS]`: the lines whose live memory grew between
/// now and then, largest first. Only reads the trace.
Outcome printGrowth(const LiveProcess &P, double Seconds, TextOrJson Format);

} // namespace inmem::tools

#endif
