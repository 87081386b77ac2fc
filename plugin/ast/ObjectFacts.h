//===- ObjectFacts.h - the expressions that construct objects ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds facts about constructed objects to the table and to the current
// function.
#ifndef INMEM_PLUGIN_AST_OBJECTFACTS_H
#define INMEM_PLUGIN_AST_OBJECTFACTS_H

#include "ast/AllocationFacts.h"
#include "ast/CollectorContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"

namespace inmem {

class ObjectFacts {
public:
  explicit ObjectFacts(CollectorContext &C)
      : C(C), Context(C.Context), Table(C.Table) {}

  void noteConstruction(const clang::CXXConstructorDecl &Constructor,
                        uint8_t Storage, clang::SourceLocation Loc);
  void noteDestructor(const clang::CXXDestructorDecl &Destructor);
  /// Fills in the fact of the marker of \p E, if it has one. The marker counts
  /// \p Maker's constructions.
  void noteMarker(const clang::Expr &E, const clang::Expr &Maker,
                  const ValueContext &In);
  /// As noteMarker(), for the copy of an exception.
  void noteCaught(const clang::VarDecl &Caught);
  /// As noteMarker(), for an array new.
  void noteArrayMarker(const clang::CXXNewExpr &E, const ValueContext &In,
                       bool Placed);
  /// Records the storage of the object that a call returns.
  void noteReturn(const clang::CallExpr &E, uint8_t Storage);
  /// Records the objects with destructors in a constant-initialised variable.
  void noteConstant(const clang::VarDecl &Variable, uint8_t Storage);

private:
  uint64_t elements(clang::QualType Type) const;
  void repeat(PartFact &Part, clang::QualType Type) const;
  void collectParts(const clang::CXXRecordDecl &Class, const PartFact &Where,
                    clang::SourceLocation Loc, std::vector<PartFact> &Parts);
  ClassFact classFact(const clang::CXXRecordDecl &Class,
                      clang::SourceLocation Loc);

  CollectorContext &C;
  clang::ASTContext &Context;
  SiteTable &Table;
  llvm::DenseMap<const clang::CXXConstructorDecl *, std::string>
      ConstructorNames;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_OBJECTFACTS_H
