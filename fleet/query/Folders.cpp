//===- Folders.cpp - The fleet's files in an installation -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/query/Question.h"

namespace inmem::fleet {

namespace fs = std::filesystem;

#ifndef INMEM_LIBDIR_FROM_BIN
#define INMEM_LIBDIR_FROM_BIN "../lib"
#endif

static fs::path binFolder() {
  std::error_code Error;
  const fs::path Self = fs::read_symlink("/proc/self/exe", Error);
  return Error ? fs::path(".") : Self.parent_path();
}

fs::path libraryFolder() {
  return (binFolder() / INMEM_LIBDIR_FROM_BIN / "inmem").lexically_normal();
}

fs::path queryFolder() {
  return (binFolder() / "../share/inmem/queries").lexically_normal();
}

} // namespace inmem::fleet
