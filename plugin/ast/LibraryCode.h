//===- LibraryCode.h - code that the user did not write ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_LIBRARYCODE_H
#define INMEM_PLUGIN_AST_LIBRARYCODE_H

#include "clang/AST/Decl.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class SourceManager;
} // namespace clang

namespace inmem {

/// Call this before the first isInLibrary() of a compilation; see LibraryFiles.
void beginLibraryFiles(llvm::StringRef Unit, llvm::StringRef Directory);

/// True if \p Loc is in a file of a library: a system header, or one that
/// LibraryFiles knows.
bool isInLibrary(const clang::SourceManager &SM, clang::SourceLocation Loc);

// LibraryFunctions.cpp: is it the C library's?.

/// True if \p F has the name of a hooked function of the C library, but another
/// signature, or is defined in this unit.
bool isForeign(const clang::FunctionDecl &F);

/// True if \p F is foreign because its name alone does not make it the C
/// library's (-fno-builtin, -fno-builtin-malloc). It is the C library's if that
/// library's header declares it and this unit does not define it.
bool isOnlyNamesake(const clang::FunctionDecl &F);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_LIBRARYCODE_H
