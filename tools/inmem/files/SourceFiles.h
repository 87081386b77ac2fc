//===- SourceFiles.h - Sources of a program that ran ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_SOURCEFILES_H
#define INMEM_TOOLS_SOURCEFILES_H

#include "report/model/Profile.h"
#include "report/text/TextReport.h"

namespace inmem::tools {

/// Finds the files that a profile names. Traces contain paths as passed to the
/// compiler, often relative to a build folder. A file counts only if it was
/// last changed before the program started, so that its lines are the ones that
/// ran.
class SourceFiles {
public:
  /// \param Folders start points of relative paths, searched first
  SourceFiles(const report::Profile &P, std::vector<std::string> Folders);

  /// The text of \p File. Each file is read only once.
  report::SourceText operator()(const std::string &File);

private:
  std::vector<std::string> Folders; ///< each empty or ending with a slash
  uint64_t StartUnixNs = 0;         ///< 0 if unknown
  std::map<std::string, report::SourceText> Known;
};

} // namespace inmem::tools

#endif
