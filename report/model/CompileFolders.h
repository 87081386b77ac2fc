//===- CompileFolders.h - One spelling for each source file ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A site has its file as the compiler was given it, which may be relative;
// debug information makes it absolute. Reports show the compiler's spelling. A
// function that has both shows by which folder they differ.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_COMPILEFOLDERS_H
#define INMEM_REPORT_COMPILEFOLDERS_H

#include "trace/read/Trace.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace inmem::report {

class CompileFolders {
public:
  /// Called with each function of a code address, and its file.
  using Visit = std::function<void(std::string_view, std::string_view)>;

  /// Finds the folders in which the sources of a trace were compiled. \param
  /// EachCode calls its argument for all code addresses of the trace
  void learn(const trace::Trace &T,
             const std::function<void(const Visit &)> &EachCode);

  /// \p File as sites spell it; unchanged if it is in none of these folders.
  std::string_view shown(std::string_view File) const;

  /// Folders, with a trailing slash.
  const std::set<std::string, std::less<>> &folders() const { return Folders; }

private:
  std::set<std::string, std::less<>> Folders;
  std::set<std::string, std::less<>> Absolute; ///< files of sites
};

} // namespace inmem::report

#endif
