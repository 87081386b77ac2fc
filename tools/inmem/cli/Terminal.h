//===- Terminal.h - Style of text for a terminal --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_TERMINAL_H
#define INMEM_TOOLS_TERMINAL_H

#include "cli/CommandLine.h"
#include "report/text/Table.h"

namespace inmem::tools {

/// Auto: on a terminal, unless NO_COLOR is set or TERM is dumb.
enum class ColourMode { Auto, Always, Never };

/// Declares --color; \p Into must outlive App.
void addColourOption(CommandLine &App, ColourMode &Into,
                     const std::string &Help = "{}",
                     const std::string &Names = "--color");

/// Width, colour and character set for text to Fd. Width: COLUMNS, else the
/// terminal's, else 100. Unicode if the locale is UTF-8.
report::Style styleFor(int Fd, ColourMode Colour);

} // namespace inmem::tools

#endif
