//===- LocationUse.h - functions without anything of ours -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source locations that the plugin turned on take half the time of emitting a
// function. They are left out if no inliner runs and the function has no call
// that our passes look up.
#ifndef INMEM_PLUGIN_AST_LOCATIONUSE_H
#define INMEM_PLUGIN_AST_LOCATIONUSE_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace inmem {

/// True if a pass may look up, by location, what clang emits for \p S itself,
/// apart from its children.
bool usesLocation(const clang::Stmt &S, const clang::ASTContext &Context);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_LOCATIONUSE_H
