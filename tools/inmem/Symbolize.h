//===- Symbolize.h - Names of functions into a finished trace -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_SYMBOLIZE_H
#define INMEM_TOOLS_SYMBOLIZE_H

#include "cli/Command.h"

namespace inmem::tools {

class Symbolizer;

/// Adds functions, files and lines to the trace in \p File, so that it needs no
/// other file to be read.
/// \param Again replaces what is there already.
Outcome symbolize(const std::string &File, Symbolizer &Symbols, bool Again,
                  bool Quiet);

} // namespace inmem::tools

#endif
