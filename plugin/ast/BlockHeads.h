//===- BlockHeads.h - classes at the start of blocks ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory pools allocate bytes, of a size that names no type, and store the
// members of a class of their own at the start.
#ifndef INMEM_PLUGIN_AST_BLOCKHEADS_H
#define INMEM_PLUGIN_AST_BLOCKHEADS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace inmem {

/// The class whose members \p Body stores where a block begins that a call
/// gave to the local pointer variable \p Block:
///   m = alloc(n); h = (Head *)m; h->next = 0; m += sizeof(Head);   -> Head
/// Null: there is none, or there are several, or \p Body also returns a
/// pointer to bytes unchanged, so that its callers decide.
clang::QualType headOf(const clang::Stmt &Body, const clang::VarDecl &Block);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_BLOCKHEADS_H
