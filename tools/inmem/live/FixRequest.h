//===- FixRequest.h - The request to inmem-fix ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// inmem links no LLVM; inmem-fix does, and reads findings and options from one
// JSON object (fix/RequestFile.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_TOOLS_FIXREQUEST_H
#define INMEM_TOOLS_FIXREQUEST_H

#include "report/formats/Json.h"
#include "trace/read/Status.h"

#include <filesystem>

namespace inmem::tools {

/// Findings, totals and the time of the run, of these traces.
/// \param Root the repository; empty: the one that the current folder is in
trace::Result<report::Json> fixRequest(const std::vector<std::string> &Files,
                                       std::string Root);

/// The nearest folder above with a .git, else the folder itself.
std::string repositoryOf(const std::filesystem::path &Folder);

/// inmem-fix next to this program, or that of the newest LLVM in lib/inmem with
/// all its libraries installed; INMEM_FIX names another. \returns an error of
/// one line that names the package to install
trace::Result<std::string> findFix();

/// A nameless file with the request, as a path for a child; empty: it could
/// not be made. The descriptor behind it stays open.
std::string passRequest(const report::Json &Request);

} // namespace inmem::tools

#endif
