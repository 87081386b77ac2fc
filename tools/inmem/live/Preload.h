//===- Preload.h - Recording a program that is started ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TOOLS_PRELOAD_H
#define INMEM_TOOLS_PRELOAD_H

#include <filesystem>
#include <string>

namespace inmem::tools {

/// libinmem_rt.so next to this program, as built or installed.
std::string findRuntime();
/// The folder that contains our bin and lib.
std::filesystem::path installPrefix();

/// A directory that is removed with its contents.
class TemporaryDirectory {
public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

  std::string Path; ///< empty: could not be made
};

/// The value of LD_PRELOAD that loads \p Runtime before libraries that are
/// already preloaded. The loader splits the value at blanks and colons, so a
/// path with one of them gets a link in \p Temporary. Empty if that path has
/// one, too, or the link cannot be created.
std::string preloadOf(const std::string &Runtime,
                      const TemporaryDirectory &Temporary);

} // namespace inmem::tools

#endif
