//===- Folders.h - The fleet's files in an installation ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FLEET_FOLDERS_H
#define INMEM_FLEET_FOLDERS_H

#include <filesystem>

namespace inmem::fleet {

/// `lib/inmem` next to the running program's `bin`; build folders and
/// installations have the same shape.
std::filesystem::path libraryFolder();
/// `share/inmem/queries`: the stored questions.
std::filesystem::path queryFolder();

} // namespace inmem::fleet

#endif
