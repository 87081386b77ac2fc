//===- SiteCollector.h - fills the site table from the AST ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks every function body and initialiser that may be emitted. Records each
// allocation, constructor call and destructor under the name, line and column
// that the IR will have for it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLUGIN_AST_SITECOLLECTOR_H
#define INMEM_PLUGIN_AST_SITECOLLECTOR_H

#include "PluginOptions.h"
#include "SiteTable.h"
#include "ast/CollectorContext.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"

#include <functional>

namespace inmem {

/// Fills \p Table for the whole translation unit of \p Context. \p Marker marks
/// constructions along the way. \p Selected decides which code to skip.
void collectSites(clang::ASTContext &Context, const Options &Chosen,
                  const UnitInfo &Unit, SiteTable &Table,
                  ConstructionMarker &Marker, Filter &Selected);

// ModuleFiles.cpp: modules that are written while compiling.
//
// `-c -fmodule-output` writes a module's file and generates code from one AST.
// Clang's consumer that writes the file runs between ours and code generation.

/// True if a module file is written from the AST that code is generated from.
bool writesModuleFile(const clang::CompilerInstance &CI);

/// Arranges for \p Call to be called after that file is written, before code
/// generation continues. \returns true on success.
bool callAfterModuleFile(clang::CompilerInstance &CI,
                         std::function<void()> Call);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_SITECOLLECTOR_H
