//===- LibraryCode.h - code that the user did not write ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_LIBRARYCODE_H
#define INMEM_PLUGIN_AST_LIBRARYCODE_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"

namespace clang {
class SourceManager;
} // namespace clang

namespace inmem {

/// Before the first isInLibrary() of a compilation; see LibraryFiles.
void beginLibraryFiles(llvm::StringRef Unit, llvm::StringRef Directory);

/// True if \p Loc is in a file of a library: a system header, or one that
/// LibraryFiles knows.
bool isInLibrary(const clang::SourceManager &SM, clang::SourceLocation Loc);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_LIBRARYCODE_H
