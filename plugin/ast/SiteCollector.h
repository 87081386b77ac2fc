//===- SiteCollector.h - fills the site table from the AST ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks every function body and initialiser that can be emitted, and notes
// each allocation, constructor call and destructor under the name, line and
// column that the IR will show for it.
#ifndef INMEM_PLUGIN_AST_SITECOLLECTOR_H
#define INMEM_PLUGIN_AST_SITECOLLECTOR_H

#include "PluginOptions.h"
#include "SiteTable.h"
#include "ast/CollectorContext.h"
#include "clang/AST/ASTContext.h"

namespace inmem {

/// Fills \p Table for the whole translation unit of \p Context. \p Marker
/// marks constructions on the way. \p Selected says what to leave out.
void collectSites(clang::ASTContext &Context, const Options &Chosen,
                  const UnitInfo &Unit, SiteTable &Table,
                  ConstructionMarker &Marker, Filter &Selected);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_SITECOLLECTOR_H
