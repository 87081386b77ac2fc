//===- Steps.h - Steps that commands leave to one another -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_INMEM_STEPS_H
#define INMEM_TOOLS_INMEM_STEPS_H

#include "cli/Command.h"
#include "fleet/folder/Config.h"
#include "live/LiveProcess.h"
#include "report/formats/Json.h"
#include "report/model/Profile.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace inmem::tools {

// FleetConfig.cpp: Use of fleet.toml in commands.

/// \param File if empty, returns an empty configuration
trace::Result<fleet::FleetConfig> readConfigFile(const std::string &File);

/// `inmem fleet options`: prints a value for INMEM_OPTIONS.
Outcome printRunOptions(const std::string &File, const std::string &Service,
                        const std::vector<std::string> &Labels, bool Exact);

// FleetExport.cpp: inmem export --format parquet.

/// Adds traces to a fleet's folder. Skips unreadable files, with a line on
/// standard error.
Outcome exportParquet(const std::vector<std::string> &Files,
                      const std::string &Folder, size_t BatchTraces,
                      const std::string &ConfigFile);

// Grew.cpp: memory that a running program keeps.

/// `inmem ctl PID grew [SECONDS]`: the lines with the largest growth of live
/// memory in this time, largest first. Only reads the trace.
Outcome printGrowth(const LiveProcess &P, double Seconds, TextOrJson Format);

// McpFix.cpp: propose_fix and verify_fix of inmem mcp.

/// Result of such a tool.
struct FixAnswer {
  std::string Text;
  bool Wrong = false; ///< Text is an error message
};

/// Handles a call of propose_fix or verify_fix with arguments that match its
/// schema; nullopt if \p Name is another tool. verify_fix builds and runs
/// programs in separate trees, and takes as long as they do.
std::optional<FixAnswer> callFixTool(const std::string &Name,
                                     const report::Json &Arguments);

// NextSteps.cpp: follow-up commands for a report.

/// Commands and their descriptions, the most useful for this profile first.
/// \param Files its traces; empty if they are not kept
std::vector<std::pair<std::string, std::string>>
nextSteps(const report::Profile &P, const std::vector<std::string> &Files);

// SymbolizeCommand.cpp: adds function names to a finished trace.

class Symbolizer;

/// Adds functions, files and lines to the trace in \p File, so that reading it
/// needs no other file. \param Again replaces existing ones.
Outcome symbolize(const std::string &File, Symbolizer &Symbols, bool Again,
                  bool Quiet);

} // namespace inmem::tools

#endif
