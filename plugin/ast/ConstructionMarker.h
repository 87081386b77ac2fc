//===- ConstructionMarker.h - constructions that call nothing ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IR has no call to count if an aggregate is initialised member by member,
// or a trivial constructor only copies bytes. So a call of an empty constexpr
// function is put into the AST there, `(__inmem_mark(7), x)` for an initialiser
// x, and InstrumentObjects replaces it by a counter. Constant evaluation looks
// through it, so static initialisation stays static.
//
// With objects=lifetime a marker passes the object's address, which no
// expression can name. A default member initialiser's `this` can, so the marker
// is the initialiser of a dummy member.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLUGIN_AST_CONSTRUCTIONMARKER_H
#define INMEM_PLUGIN_AST_CONSTRUCTIONMARKER_H

#include "PluginOptions.h"
#include "SiteTable.h"
#include "ast/AstBuilder.h"
#include "ast/AstEdits.h"
#include "ast/Filter.h"
#include "ast/MarkerBuilder.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace inmem {

class ConstructionMarker {
public:
  ConstructionMarker(clang::ASTContext &Context, const Options &Chosen,
                     Filter &Selected, SiteTable &Table, bool Enabled,
                     bool Profiled, bool LeaveLocationsOut)
      : Context(Context), Chosen(Chosen), Selected(Selected), Enabled(Enabled),
        Profiled(Profiled), LeaveLocationsOut(LeaveLocationsOut),
        Build(Context), Markers(Context, Table, Build) {}

  /// The changes made to the AST.
  AstEdits &edits() { return Edits; }

  /// Marks the code that clang emits as soon as the top-level declaration \p D
  /// is parsed. Call this before code generation sees it.
  void markEarly(clang::Decl &D);
  /// Marks the body of a function, or a variable's initialiser. Idempotent.
  void markFunction(const clang::FunctionDecl &F);
  void markMethod(const clang::ObjCMethodDecl &Method);
  void markVariable(const clang::VarDecl &Variable);
  /// The index into SiteTable::Markers of a construction that was marked. The
  /// caller must fill in its AstMarker.
  std::optional<unsigned> markerOf(const clang::Expr &E) const {
    return Markers.of(E);
  }
  /// As markerOf(E), for a handler's exception variable that clang copies as
  /// bytes.
  std::optional<unsigned> markerOf(const clang::VarDecl &Caught) const;
  /// The expression evaluated right after the marker \p Index.
  const clang::Expr &markedPart(unsigned Index) const {
    return Markers.part(Index);
  }
  /// True if clang inlines the inheriting constructor \p Constructor instead of
  /// calling it: variadic arguments cannot be forwarded.
  static bool isInlined(const clang::CXXConstructorDecl &Constructor) {
    return Constructor.isInheritingConstructor() && Constructor.isVariadic();
  }
  /// \p E without the marker around it, if any.
  const clang::Expr &unmarked(const clang::Expr &E) const {
    const clang::Expr *Inner = Wrapped.lookup(&E);
    // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): clang's node
    return Inner ? *Inner : E;
  }
  /// As unmarked(), but also without a marker evaluated before \p E.
  const clang::Expr &written(const clang::Expr &E) const {
    const clang::Expr *Inner = Behind.lookup(&E);
    return unmarked(Inner ? *Inner : E);
  }

private:
  /// The use that clang will make of the current expression.
  struct ValueContext {
    /// Constant evaluation must see through markers: a constant expression may
    /// use the value.
    bool Evaluable = false;
    /// Constant evaluation may also happen outside constant expressions, if
    /// clang folds a call.
    bool InConstexprFunction = false;
    /// If clang can compute the value, it copies it from read-only memory, and
    /// markers inside would never run.
    bool Copied = false;
    /// Clang emits no code if it can compute the value.
    bool Folded = false;
    /// Receives the markers of a constant array's elements.
    llvm::SmallVectorImpl<clang::Expr *> *Hoisted = nullptr;
  };

  void leaveLocationsOut(clang::FunctionDecl &F);
  void markInitialisers(clang::CXXConstructorDecl &Constructor);
  void walk(clang::Stmt *&S, bool MayReplace = true);
  void walkChildren(clang::Stmt &S);
  void walkShared(clang::Expr &Initialiser);
  void putMarker(clang::Stmt *&S, clang::Expr &E, clang::Expr *Object);
  void walkVariables(const clang::DeclStmt &Statement);
  void walkArray(clang::Stmt *&S, clang::Expr &E, bool MayReplace);
  ValueContext contextWithin(const clang::Stmt &S) const;
  Evaluated evaluated() const;
  const clang::CXXRecordDecl *countedClass(clang::QualType Type);
  bool isMarked(const clang::Expr &E);
  bool isMarkedArray(const clang::CXXNewExpr &New);
  bool isFollowed(const clang::Expr &E) const;
  bool needsTarget(clang::QualType Type) const;
  bool markerWithin(clang::Expr &E, bool MayReplace);
  static unsigned basesIn(const clang::Stmt &S);
  void walkInitialiser(clang::VarDecl &Variable);
  void markCaught(clang::CXXCatchStmt &Handler);
  clang::Expr *marked(const clang::Expr &Owner, clang::Expr &E);
  clang::Expr *behind(clang::Expr &Marker, clang::Expr &E);
  bool markPlacedArray(clang::CXXNewExpr &New);
  clang::Expr *initialisedInWrapper(clang::Expr &E);
  unsigned addMarker(const clang::Expr &Owner, const clang::Expr &Part);
  static const clang::Expr *lastPart(const clang::Expr *E);

  clang::ASTContext &Context;
  const Options &Chosen;
  Filter &Selected;
  bool Enabled;
  bool Profiled;          ///< profiles or coverage number code
  bool LeaveLocationsOut; ///< omit them from functions that do not use them
  bool UsesLocations = false;
  AstBuilder Build;
  AstEdits Edits;
  ValueContext In;
  MarkerBuilder Markers;
  llvm::DenseMap<const clang::VarDecl *, unsigned> CaughtMarkers;
  llvm::DenseMap<const clang::Expr *, const clang::Expr *> Wrapped, Behind;
  /// The variable or member that the next expression initialises.
  clang::Expr *Target = nullptr;
  /// The list of an array new, which clang never copies as a whole.
  const clang::Expr *NewList = nullptr;
  llvm::DenseSet<const void *> Done; ///< declarations and shared initialisers
};

// LocationUse.cpp: finds functions that need no source locations.
//
// Source locations that the plugin turned on take half the time of emitting a
// function. They are left out if no inliner runs and the function has no call
// that our passes look up.

/// True if a pass may look up, by location, code that clang emits for \p S
/// itself, apart from its children.
bool usesLocation(const clang::Stmt &S, const clang::ASTContext &Context);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_CONSTRUCTIONMARKER_H
