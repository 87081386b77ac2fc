//===- LibraryFunctions.h - is it the C library's? --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_LIBRARYFUNCTIONS_H
#define INMEM_PLUGIN_AST_LIBRARYFUNCTIONS_H

#include "clang/AST/Decl.h"

namespace inmem {

/// Whether \p F has the name of one of the C library's functions whose calls
/// are instrumented, but another signature, or is defined in this unit.
bool isForeign(const clang::FunctionDecl &F);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_LIBRARYFUNCTIONS_H
