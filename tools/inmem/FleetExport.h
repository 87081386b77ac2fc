//===- FleetExport.h - inmem export --format parquet ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_FLEETEXPORT_H
#define INMEM_TOOLS_FLEETEXPORT_H

#include "cli/Command.h"

namespace inmem::tools {

/// Adds traces to a fleet's folder. What cannot be read is passed over, with a
/// line on standard error.
Outcome exportParquet(const std::vector<std::string> &Files,
                      const std::string &Folder, size_t BatchTraces,
                      const std::string &ConfigFile);

} // namespace inmem::tools

#endif
