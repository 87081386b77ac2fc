//===- FixRequest.h - The request to inmem-fix ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// inmem does not link LLVM. inmem-fix does, and reads findings and options from
// one JSON object (fix/RequestFile.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_FIXREQUEST_H
#define INMEM_TOOLS_FIXREQUEST_H

#include "report/formats/Json.h"
#include "trace/read/Status.h"

#include <filesystem>

namespace inmem::tools {

/// Findings, totals and the run's time, from these traces. \param Root the
/// repository; if empty, the one of the current folder
trace::Result<report::Json> fixRequest(const std::vector<std::string> &Files,
                                       std::string Root);

/// The nearest enclosing folder with a .git, or else the folder itself.
std::string repositoryOf(const std::filesystem::path &Folder);

/// The inmem-fix next to this program, or the one for the newest LLVM in
/// lib/inmem with all its libraries installed. INMEM_FIX overrides it. \returns
/// a one-line error that names the package to install
trace::Result<std::string> findFix();

/// A nameless file with the request, as a path for a child; empty if it cannot
/// be created. Its descriptor stays open.
std::string passRequest(const report::Json &Request);

} // namespace inmem::tools

#endif
