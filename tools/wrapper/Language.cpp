//===- Language.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each wrapper; the build sets INMEM_WRAPPER_CXX.

#include "Toolchain.h"

namespace inmem::wrapper {

#if INMEM_WRAPPER_CXX
const Language kLanguage = {true, "inmem-clang++", "clang++",
                            "--driver-mode=g++"};
#else
const Language kLanguage = {false, "inmem-clang", "clang", "--driver-mode=gcc"};
#endif

} // namespace inmem::wrapper
