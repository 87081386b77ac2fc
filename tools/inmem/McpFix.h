//===- McpFix.h - propose_fix and verify_fix of inmem mcp -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_MCPFIX_H
#define INMEM_TOOLS_MCPFIX_H

#include "report/formats/Json.h"

#include <optional>
#include <string>

namespace inmem::tools {

/// Output of a tool of this kind.
struct FixAnswer {
  std::string Text;
  bool Wrong = false; ///< Text says what is
};

/// Answers a call of propose_fix or verify_fix with arguments that fit their
/// schemas; nullopt: \p Name is another tool. verify_fix builds and runs
/// programs, in trees of its own, and takes as long as they do.
std::optional<FixAnswer> callFixTool(const std::string &Name,
                                     const report::Json &Arguments);

} // namespace inmem::tools

#endif
