//===- CompileCommands.h ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compilation database of what the wrappers compile.
#ifndef INMEM_TOOLS_WRAPPER_COMPILECOMMANDS_H
#define INMEM_TOOLS_WRAPPER_COMPILECOMMANDS_H

#include "Request.h"

namespace inmem::wrapper {

/// Adds an entry for each source file among \p Given to the JSON file that
/// INMEM_COMPILE_COMMANDS names, if it names one. Processes may do so at the
/// same time. A file that cannot be written is one line on standard error.
void noteCommand(const Args &Given, const std::string &Clang);

} // namespace inmem::wrapper

#endif
