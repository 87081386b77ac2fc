//===- Reads.h - What only reads, and what changes nothing else -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_READS_H
#define INMEM_FIX_READS_H

#include "Source.h"

namespace inmem::fix {

/// Whether every use of \p V in \p Root reads it, or calls a const member of it
/// or of its members.
bool isOnlyRead(const Spot &S, const clang::VarDecl &V,
                const clang::Stmt *Root);

/// Whether \p Root changes nothing but local variables: it calls functions of
/// the library alone, and their non-const members on local variables only.
bool isQuiet(const Spot &S, const clang::Stmt *Root);

/// Whether only \p Function's own unit can call it, by its name: internal
/// linkage, not virtual, no operator, no other function of that name, and its
/// address is not taken.
bool isPrivate(const Spot &S, const clang::FunctionDecl &Function);

} // namespace inmem::fix

#endif // INMEM_FIX_READS_H
