//===- Output.h - Results to files and streams ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_OUTPUT_H
#define INMEM_TOOLS_OUTPUT_H

#include "trace/read/Status.h"

#include <cstdio>
#include <string>

namespace inmem::tools {

/// Writes all of Text to Path (`-` or empty: to Default), or returns an error.
/// An existing file is replaced once everything is written (OutputFile.h).
trace::Status writeText(const std::string &Path, std::FILE *Default,
                        std::string_view Text);

/// \p Word quoted for a shell and for make.
std::string shellQuoted(const std::string &Word);

} // namespace inmem::tools

#endif
