//===- ModuleFiles.h - modules that are written while compiling -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `-c -fmodule-output` makes a module's file and code from one AST: clang's
// consumer that writes the file runs between ours and code generation.
#ifndef INMEM_PLUGIN_AST_MODULEFILES_H
#define INMEM_PLUGIN_AST_MODULEFILES_H

#include "clang/Frontend/CompilerInstance.h"
#include <functional>

namespace inmem {

/// True if a file of the module is written from the AST that code is made of.
bool writesModuleFile(const clang::CompilerInstance &CI);

/// Arranges that \p Call is called when that file has been written, before
/// code generation continues. \returns whether it will be.
bool callAfterModuleFile(clang::CompilerInstance &CI,
                         std::function<void()> Call);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_MODULEFILES_H
