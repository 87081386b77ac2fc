//===- InitLibraries.h - which folders hold code of others ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_INITLIBRARIES_H
#define INMEM_TOOLS_INITLIBRARIES_H

#include <string>
#include <vector>

namespace inmem::tools {

/// Globs for the plugin's options library= and mine=, without blanks and
/// characters that a shell reads, other than `*` and `?`.
struct SourceGlobs {
  std::vector<std::string> Library, Mine;
  /// One line for each glob: why.
  std::vector<std::string> Reasons;

  /// The plugin's options; empty if no glob is needed.
  std::vector<std::string> options() const;
};

/// Looks for licences in the folders of the project in \p Top. Code below one
/// that is not the project's is a library's, and code below a copy of the
/// project's own is the project's. Leaves out what the plugin decides
/// without options: folders with names such as third_party, and other
/// repositories.
SourceGlobs findLibraries(const std::string &Top);

/// \p Text of a command line, globs between commas, added to \p Globs.
void addGlobs(const std::string &Text, std::vector<std::string> &Globs);

} // namespace inmem::tools

#endif
