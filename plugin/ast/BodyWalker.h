//===- BodyWalker.h - walks a body and knows its values' context *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks statements and finds how the value of each expression is used.
#ifndef INMEM_PLUGIN_AST_BODYWALKER_H
#define INMEM_PLUGIN_AST_BODYWALKER_H

#include "ast/AllocationFacts.h"
#include "ast/CollectorContext.h"
#include "ast/ObjectFacts.h"

namespace inmem {

class EmittedDecls;

class BodyWalker {
public:
  /// \p Decls receives the declarations and uses in bodies.
  BodyWalker(CollectorContext &C, ObjectFacts &Objects, EmittedDecls &Decls)
      : C(C), Objects(Objects), Decls(Decls), Allocations(C) {}

  void walk(const clang::Stmt *S) { walk(S, ValueContext()); }
  void walkInitialisers(const clang::CXXConstructorDecl &Constructor);
  void walkVariable(const clang::VarDecl &Variable);

private:
  void walk(const clang::Stmt *S, ValueContext In);
  void walkChildren(const clang::Stmt &S);
  void walkBinary(const clang::BinaryOperator &E, ValueContext In);
  void walkUnary(const clang::UnaryOperator &E);
  void walkCast(const clang::CastExpr &E, ValueContext In);
  void walkInitList(const clang::InitListExpr &E, ValueContext In);
  void walkParts(clang::QualType Type,
                 llvm::ArrayRef<const clang::Expr *> Parts, ValueContext In);
  void walkClauses(const clang::OMPExecutableDirective &Directive);
  void walkLambda(const clang::LambdaExpr &E);
  void walkBlock(const clang::BlockExpr &E);
  void walkNew(const clang::CXXNewExpr &E, const ValueContext &In);
  void walkThrow(const clang::CXXThrowExpr &E);
  void walkConstruct(const clang::CXXConstructExpr &E, ValueContext In);
  void noteCast(const clang::Expr &From, clang::QualType To);
  void noteArguments(const clang::CallExpr &E);

  // Statements (BodyStatements.cpp).
  void walkStatement(const clang::Stmt &S);
  std::vector<SizeFlow::Path> walkBranch(llvm::function_ref<void()> Walk);
  void meet(const std::vector<SizeFlow::Path> &Paths);
  void walkIf(const clang::IfStmt &S);
  void walkChoice(const clang::Expr *True, const clang::Expr *False,
                  const ValueContext &In);
  void walkSwitch(const clang::SwitchStmt &S);
  void walkCase(const clang::SwitchCase &S);
  void walkLoop(const clang::Stmt &S);
  void walkTry(const clang::CXXTryStmt &S);
  void walkLabel();
  void walkJump(const clang::Stmt &S);
  const AssignmentScan &wholeScan();

  CollectorContext &C;
  ObjectFacts &Objects;
  EmittedDecls &Decls;
  AllocationFacts Allocations;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_BODYWALKER_H
