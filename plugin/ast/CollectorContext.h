//===- CollectorContext.h - what the collector's parts share ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_COLLECTORCONTEXT_H
#define INMEM_PLUGIN_AST_COLLECTORCONTEXT_H

#include "Options.h"
#include "SiteTable.h"
#include "ast/ConstructionMarker.h"
#include "ast/DeferredTypes.h"
#include "ast/Filter.h"
#include "ast/LinkageNames.h"
#include "ast/TypeLayout.h"
#include "ast/TypeName.h"

namespace inmem {

/// What the AST does not say of the unit.
struct UnitInfo {
  /// The unit itself comes out of a file (a module's .pcm), so that what lies
  /// there has to be loaded; what merely is imported is never loaded whole.
  bool FromFile = false;
  /// Debug locations have columns.
  bool Columns = true;
  /// -funique-internal-linkage-names
  bool UniqueNames = false;
  /// Declarations out of files that clang emits though nothing may use them.
  llvm::SmallVector<const clang::Decl *, 4> Emitted;
};

struct CollectorContext {
  CollectorContext(clang::ASTContext &Context, const Options &Chosen,
                   const UnitInfo &Unit, SiteTable &Table,
                   ConstructionMarker &Marker, Filter &Wanted)
      : Context(Context), Chosen(Chosen), Unit(Unit), Table(Table),
        Marker(Marker), Wanted(Wanted), Names(Context, Unit.UniqueNames),
        Namer(Context), Layouts(Context, Names.mangler(), Namer, Table),
        Deferred(Context, Table, Layouts) {}

  /// Where clang's debug locations will say that \p Loc is.
  SourcePlace place(clang::SourceLocation Loc) const;
  /// Where locals of the function that is walked live: those of a coroutine
  /// are in its frame.
  uint8_t localStorage() const;

  clang::ASTContext &Context;
  const Options &Chosen;
  const UnitInfo &Unit;
  SiteTable &Table;
  ConstructionMarker &Marker;
  Filter &Wanted;
  LinkageNames Names;
  TypeNamer Namer;
  TypeLayouts Layouts;
  DeferredTypes Deferred;
  /// The function that is walked, or what initialises globals.
  FunctionBody Current;
  /// Default arguments are evaluated, and located, at the call; else invalid.
  clang::SourceLocation UsedAt;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_COLLECTORCONTEXT_H
