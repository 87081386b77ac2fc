//===- CollectorContext.h - state that the collector's parts share --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_COLLECTORCONTEXT_H
#define INMEM_PLUGIN_AST_COLLECTORCONTEXT_H

#include "PluginOptions.h"
#include "SiteTable.h"
#include "ast/ConstructionMarker.h"
#include "ast/DeferredTypes.h"
#include "ast/Filter.h"
#include "ast/LinkageNames.h"
#include "ast/TypeLayout.h"
#include "ast/TypeNamer.h"

namespace inmem {

/// Facts about the unit that the AST lacks.
struct UnitInfo {
  /// The unit itself comes from an AST file (a module's .pcm), which is loaded
  /// as a whole. Imported files are never loaded as a whole.
  bool FromFile = false;
  /// Debug locations have columns.
  bool Columns = true;
  /// -funique-internal-linkage-names
  bool UniqueNames = false;
  PrefixMap Prefixes;
  /// The compilation directory as in debug information.
  std::string Directory;
  /// The name of file \p Name in debug locations: relative to the compilation
  /// directory for files below it.
  std::string inDebugInfo(llvm::StringRef Name) const;
  /// Declarations from AST files that clang emits even if nothing uses them.
  llvm::SmallVector<const clang::Decl *, 4> Emitted;
};

struct CollectorContext {
  CollectorContext(clang::ASTContext &Context, const Options &Chosen,
                   const UnitInfo &Unit, SiteTable &Table,
                   ConstructionMarker &Marker, Filter &Selected)
      : Context(Context), Chosen(Chosen), Unit(Unit), Table(Table),
        Marker(Marker), Selected(Selected), Names(Context, Unit.UniqueNames),
        Namer(Context, Unit.Prefixes),
        Layouts(Context, Names.mangler(), Namer, Table),
        Deferred(Context, Table, Layouts) {}

  /// The source location that clang's debug information will have for \p Loc.
  SourceLoc location(clang::SourceLocation Loc) const;
  /// Storage of the current function's locals: a coroutine's are in its frame.
  uint8_t localStorage() const;

  clang::ASTContext &Context;
  const Options &Chosen;
  const UnitInfo &Unit;
  SiteTable &Table;
  ConstructionMarker &Marker;
  Filter &Selected;
  LinkageNames Names;
  TypeNamer Namer;
  TypeLayouts Layouts;
  DeferredTypes Deferred;
  /// The current function, or the initialisation of globals.
  FunctionBody Current;
  /// The call whose default argument is walked: the argument is evaluated, and
  /// located, there.
  clang::SourceLocation UsedAt;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_COLLECTORCONTEXT_H
