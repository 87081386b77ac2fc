//===- Resources.cpp - clang's own headers --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Frontend.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <link.h>

namespace inmem::fix {

namespace {

/// The folder that libclang-cpp was loaded from; empty if linked statically.
std::string libraryFolder() {
  std::string Folder;
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Out) {
        const llvm::StringRef Path = Info->dlpi_name;
        if (llvm::sys::path::filename(Path).substr(0, 13) != "libclang-cpp.")
          return 0;
        *static_cast<std::string *>(Out) =
            llvm::sys::path::parent_path(Path).str();
        return 1;
      },
      &Folder);
  return Folder;
}

} // namespace

std::string resourceFolder() {
  const std::string Near = libraryFolder();
  // In order: Arch and LLVM's own packages; Fedora, with the library in lib64;
  // Debian.
  const std::string Debian =
      llvm::formatv("/../llvm-{0}/lib/clang/", INMEM_LLVM_MAJOR);
  for (llvm::StringRef Part :
       {llvm::StringRef("/clang/"), llvm::StringRef("/../lib/clang/"),
        llvm::StringRef(Debian)}) {
    std::string Folder =
        llvm::formatv("{0}{1}{2}", Near, Part, INMEM_LLVM_MAJOR);
    if (!Near.empty() && llvm::sys::fs::exists(Folder + "/include/stddef.h"))
      return Folder;
  }
  return INMEM_CLANG_RESOURCES;
}

} // namespace inmem::fix
