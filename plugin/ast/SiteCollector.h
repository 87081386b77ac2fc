//===- SiteCollector.h - fills the site table from the AST ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks every function body and initialiser that can be emitted, and notes
// each allocation, constructor call and destructor under the name, line and
// column that the IR will show for it.
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
/// constructions on the way. \p Selected decides which code to leave out.
void collectSites(clang::ASTContext &Context, const Options &Chosen,
                  const UnitInfo &Unit, SiteTable &Table,
                  ConstructionMarker &Marker, Filter &Selected);

// ModuleFiles.cpp: modules that are written while compiling.
//
// `-c -fmodule-output` makes a module's file and code from one AST: clang's
// consumer that writes the file runs between ours and code generation.

/// True if a file of the module is written from the AST that code is made of.
bool writesModuleFile(const clang::CompilerInstance &CI);

/// Arranges that \p Call is called when that file has been written, before
/// code generation continues. \returns whether it will be.
bool callAfterModuleFile(clang::CompilerInstance &CI,
                         std::function<void()> Call);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_SITECOLLECTOR_H
