//===- SiteCollector.cpp - fills the site table from the AST --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/SiteCollector.h"
#include "ast/EmittedDecls.h"

namespace inmem {

void collectSites(clang::ASTContext &Context, const Options &Chosen,
                  const UnitInfo &Unit, SiteTable &Table,
                  ConstructionMarker &Marker, Filter &Selected) {
  CollectorContext C(Context, Chosen, Unit, Table, Marker, Selected);
  EmittedDecls(C).visitUnit();
  C.Deferred.decide();
}

} // namespace inmem
