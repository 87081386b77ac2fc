//===- LibraryFiles.h - which source files are a library's ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Headers that others wrote need not be system headers: projects keep copies in
// folders of well-known names, or find them outside of their repository.
#ifndef INMEM_PLUGIN_LIBRARYFILES_H
#define INMEM_PLUGIN_LIBRARYFILES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace inmem {

class LibraryFiles {
public:
  /// \p Unit: the file that is compiled; \p Directory: the compiler's working
  /// directory, to which relative names refer.
  LibraryFiles(llvm::StringRef Unit, llvm::StringRef Directory);

  /// True if \p File, as the compiler was given it, is not the project's: by
  /// the options mine= and library=, else if \p System marks it as a system
  /// header, else by the folders above it.
  bool contains(llvm::StringRef File, bool System);

private:
  bool lookUp(llvm::StringRef File, bool System);
  bool liesOutside(llvm::StringRef Folder);
  std::string absolute(llvm::StringRef File) const;
  const std::string &repositoryOf(llvm::StringRef Folder);
  bool isInBuild(llvm::StringRef Folder);

  std::string Directory, Unit;
  llvm::StringMap<bool> Known[2]; ///< by name; of others and system headers
  llvm::StringMap<std::string> Folders; ///< to the repository; empty: none
  llvm::StringMap<bool> Builds;         ///< folders below a build's
};

} // namespace inmem

#endif // INMEM_PLUGIN_LIBRARYFILES_H
