//===- LibraryFiles.h - which source files are a library's ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Third-party headers need not be system headers: projects keep copies in
// folders with well-known names, or use headers outside their repository.
#ifndef INMEM_PLUGIN_LIBRARYFILES_H
#define INMEM_PLUGIN_LIBRARYFILES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace inmem {

class LibraryFiles {
public:
  /// \p Unit is the compiled file. \p Directory is the compiler's working
  /// directory, which relative names refer to.
  LibraryFiles(llvm::StringRef Unit, llvm::StringRef Directory);

  /// True if \p File, as passed to the compiler, does not belong to the
  /// project. The options mine= and library= take precedence, then \p System (a
  /// system header), then the folders above the file.
  bool contains(llvm::StringRef File, bool System);

private:
  bool lookUp(llvm::StringRef File, bool System);
  bool liesOutside(llvm::StringRef Folder);
  std::string absolute(llvm::StringRef File) const;
  const std::string &repositoryOf(llvm::StringRef Folder);
  bool isInBuild(llvm::StringRef Folder);

  std::string Directory, Unit;
  llvm::StringMap<bool> Known[2]; ///< by name: other files, system headers
  llvm::StringMap<std::string> Folders; ///< the folder's repository, if any
  llvm::StringMap<bool> Builds;         ///< whether a folder is in a build
};

} // namespace inmem

#endif // INMEM_PLUGIN_LIBRARYFILES_H
