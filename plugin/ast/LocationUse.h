//===- LocationUse.h - functions without anything of ours -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the plugin has turned source locations on, they take half of the
// time that clang needs to emit a function. So they are left out where no
// inliner runs and the function has no call that our passes look for.
#ifndef INMEM_PLUGIN_AST_LOCATIONUSE_H
#define INMEM_PLUGIN_AST_LOCATIONUSE_H

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace inmem {

/// Whether a pass may look up, by its location, what clang emits for \p S
/// itself; what its children need is asked of each.
bool usesLocation(const clang::Stmt &S, const clang::ASTContext &Context);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_LOCATIONUSE_H
