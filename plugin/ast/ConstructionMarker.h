//===- ConstructionMarker.h - constructions that call nothing ---*- C++ -*-===//
// An aggregate is initialised member by member, a trivial constructor is a copy
// of bytes: the IR has no call to count. So a call of an empty constexpr
// function goes into the AST there, `(__inmem_mark(7), x)` for an initialiser
// x, which InstrumentObjects replaces by a counter. Constant evaluation looks
// through it, so that what clang initialises statically stays so.
#ifndef INMEM_PLUGIN_AST_CONSTRUCTIONMARKER_H
#define INMEM_PLUGIN_AST_CONSTRUCTIONMARKER_H

#include "Options.h"
#include "SiteTable.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclGroup.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace inmem {

class ConstructionMarker {
public:
  ConstructionMarker(clang::ASTContext &Context, const Options &Chosen,
                     SiteTable &Table, bool Enabled)
      : Context(Context), Chosen(Chosen), Table(Table), Enabled(Enabled) {}

  /// Marks what clang makes code for as soon as it is parsed. Must see each
  /// declaration before code generation does.
  void markEarly(clang::DeclGroupRef Group);
  /// Marks the body of a function, or a variable's initialiser. Idempotent.
  void markFunction(const clang::FunctionDecl &F);
  void markVariable(const clang::VarDecl &Variable);
  /// The index into SiteTable::Marks for a construction that was marked. The
  /// mark says nothing until its MarkFact is filled in.
  std::optional<unsigned> markOf(const clang::Expr &E) const;
  /// What is evaluated right after the mark of that index.
  const clang::Expr &markedPart(unsigned Index) const { return *Parts[Index]; }

private:
  void markInitialisers(clang::CXXConstructorDecl &Constructor);
  void walk(clang::Stmt *&S, bool MayReplace = true);
  const clang::CXXRecordDecl *countedClass(clang::QualType Type) const;
  bool isMarked(const clang::Expr &E) const;
  bool isMarkedArray(const clang::CXXNewExpr &New) const;
  bool markWithin(clang::Expr &E);
  clang::Expr *marked(const clang::Expr &Owner, clang::Expr &E);
  clang::FunctionDecl *markFunctionDecl(bool Constexpr);

  clang::ASTContext &Context;
  const Options &Chosen;
  SiteTable &Table;
  bool Enabled;
  clang::FunctionDecl *MarkDecls[2] = {};
  /// Whether constant evaluation must see through the marks made now.
  bool Evaluable = true;
  llvm::DenseMap<const clang::Expr *, unsigned> Marks;
  std::vector<const clang::Expr *> Parts;
  llvm::DenseSet<const void *> Done; ///< declarations and shared initialisers
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_CONSTRUCTIONMARKER_H
