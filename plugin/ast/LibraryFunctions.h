//===- LibraryFunctions.h - is it the C library's? --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_LIBRARYFUNCTIONS_H
#define INMEM_PLUGIN_AST_LIBRARYFUNCTIONS_H

#include "clang/AST/Decl.h"

namespace inmem {

/// True if \p F has the name of one of the C library's functions whose calls
/// are instrumented, but another signature, or is defined in this unit.
bool isForeign(const clang::FunctionDecl &F);

/// True if \p F is so because its name alone does not make it the C library's
/// (-fno-builtin, -fno-builtin-malloc): it is if the library's header declares
/// it, and this unit does not define it.
bool isOnlyNamesake(const clang::FunctionDecl &F);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_LIBRARYFUNCTIONS_H
