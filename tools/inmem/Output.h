//===- Output.h - Where results go ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard output, standard error or a file, and how the terminal there wants
// its text.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_OUTPUT_H
#define INMEM_TOOLS_OUTPUT_H

#include "report/text/Table.h"
#include "trace/Status.h"

#include <cstdio>
#include <string>

namespace inmem::tools {

/// Width, colour and character set for text to Fd. Width: COLUMNS, else the
/// terminal's, else 100. Colour: `always`, `never`, or `auto`: on a terminal,
/// unless NO_COLOR is set or TERM is dumb. Unicode if the locale is UTF-8.
report::Style styleFor(int Fd, const std::string &Colour);

/// Writes Text to Path (`-` or empty: to Default), all or an error. A file that
/// was there is replaced when all is written (OutputFile.h).
trace::Status writeText(const std::string &Path, std::FILE *Default,
                        std::string_view Text);

/// \p Word in quotation marks, as a shell and make read it.
std::string shellQuoted(const std::string &Word);

} // namespace inmem::tools

#endif
