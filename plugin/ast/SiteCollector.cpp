//===- SiteCollector.cpp - fills the site table from the AST --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/SiteCollector.h"
#include "ast/CollectorContext.h"
#include "ast/EmittedDecls.h"

namespace inmem {

void collectSites(clang::ASTContext &Context, const Options &Chosen,
                  bool LoadAll, SiteTable &Table, ConstructionMarker &Marker,
                  Filter &Wanted) {
  CollectorContext C(Context, Chosen, Table, Marker, Wanted);
  EmittedDecls(C, LoadAll).visitUnit();
  C.Deferred.decide();
}

} // namespace inmem
