//===- FleetConfig.h - Use of fleet.toml in commands ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_FLEETCONFIG_H
#define INMEM_TOOLS_FLEETCONFIG_H

#include "cli/Command.h"
#include "fleet/folder/Config.h"

#include <string>
#include <vector>

namespace inmem::tools {

/// \param File empty: an empty configuration
trace::Result<fleet::FleetConfig> readConfigFile(const std::string &File);

/// inmem fleet options: prints a value for INMEM_OPTIONS.
Outcome printRunOptions(const std::string &File, const std::string &Service,
                        const std::vector<std::string> &Labels, bool Exact);

} // namespace inmem::tools

#endif
