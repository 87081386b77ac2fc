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

/// Call before the first isInLibrary() of a compilation; see LibraryFiles.
void beginLibraryFiles(llvm::StringRef Unit, llvm::StringRef Directory);

/// True if \p Loc is in a library file: a system header, or one that
/// LibraryFiles recognises.
bool isInLibrary(const clang::SourceManager &SM, clang::SourceLocation Loc);

// LibraryFunctions.cpp: recognises functions of the C library.

/// True if \p F has the name of a hooked function of the C library, but has
/// another signature or is defined in this unit.
bool isForeign(const clang::FunctionDecl &F);

/// True if \p F is foreign because its name alone does not identify the C
/// library's function (-fno-builtin, -fno-builtin-malloc). A declaration in
/// that library's header, without a definition in this unit, does.
bool isOnlyNamesake(const clang::FunctionDecl &F);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_LIBRARYCODE_H
