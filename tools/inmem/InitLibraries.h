//===- InitLibraries.h - which folders hold code of others ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_INITLIBRARIES_H
#define INMEM_TOOLS_INITLIBRARIES_H

#include <string>
#include <vector>

namespace inmem::tools {

/// Globs for the plugin's options library= and mine=. They contain no blanks,
/// and no shell characters other than `*`, `?` and brackets.
struct SourceGlobs {
  std::vector<std::string> Library, Mine;
  /// For each glob, a line with the reason.
  std::vector<std::string> Reasons;

  /// The plugin's options; empty if no glob is needed.
  std::vector<std::string> options() const;
};

/// Looks for licences in the folders of the project at \p Top. Code below a
/// licence that differs from the project's belongs to a library. Code below a
/// copy of the project's own belongs to the project. Skips folders that the
/// plugin classifies without options: names such as third_party, and other
/// repositories.
SourceGlobs findLibraries(const std::string &Top);

/// Adds the comma-separated globs in \p Text, from a command line, to \p Globs.
void addGlobs(const std::string &Text, std::vector<std::string> &Globs);

} // namespace inmem::tools

#endif
