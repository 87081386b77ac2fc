//===- Resources.h - clang's own headers ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_RESOURCES_H
#define INMEM_FIX_RESOURCES_H

#include <string>

namespace inmem::fix {

/// The folder of clang's own headers (-resource-dir): near the loaded
/// libclang-cpp, as distributions lay it out, or where it was when inmem was
/// built.
std::string resourceFolder();

} // namespace inmem::fix

#endif
