//===- FieldUses.h - expressions that access fields -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accesses=on. Notes, for each function, the members that its expressions read,
// write and call functions on, under the place that the code for it will have,
// and the records that are used in a way that no access names: cast to
// something else, or with the address of a member taken.
#ifndef INMEM_PLUGIN_AST_FIELDUSES_H
#define INMEM_PLUGIN_AST_FIELDUSES_H

#include "ast/FieldPaths.h"
#include "ast/UncountedReads.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

namespace inmem {

class FieldUses {
public:
  explicit FieldUses(CollectorContext &C)
      : C(C), Context(C.Context), Paths(C), Uncounted(C, Paths) {}

  /// Adds the uses in the body and the initialisers of \p F to the facts of the
  /// current function.
  void note(const clang::FunctionDecl &F);
  /// As above, for the initialiser of a global.
  void note(const clang::VarDecl &Variable);
  /// Call this when the whole unit was visited.
  void finish() { Uncounted.finish(); }

private:
  using Path = FieldPaths::Path;

  void visit(const clang::Stmt *S);
  void visitChildren(const clang::Stmt &S);
  void visitChoice(const clang::Expr &E);
  void enterChoice(const clang::Expr &E);
  void leaveChoice();
  /// Both arguments of \p E are the same member, of two objects.
  bool isSameMember(const clang::CallExpr &E);
  void visitCast(const clang::CastExpr &E);
  /// The value of the lvalue \p E is read.
  void visitRead(const clang::Expr &E);
  void visitBinary(const clang::BinaryOperator &E);
  void visitUnary(const clang::UnaryOperator &E);
  void visitConstruct(const clang::CXXConstructExpr &E);
  void visitCall(const clang::CallExpr &E);
  void visitAtomic(const clang::Expr &E, const clang::Expr *Address);
  void visitList(const clang::InitListExpr &E);
  void visitInitialisers(const clang::CXXConstructorDecl &Constructor);
  void visitAsm(const clang::AsmStmt &S);
  void visitVariable(const clang::VarDecl &Variable);
  /// The bytes of an argument of \p E are copied to another object.
  void visitByteCopy(const clang::CallExpr &E);
  /// \p From is the value that the member \p To gets.
  void noteStored(const std::optional<Path> &To, const clang::Expr &From);
  /// \p E, a part of an object, is read.
  void noteRead(const clang::Expr &E, const std::optional<Path> &Of);
  /// \p Callee gets \p E as its object or as an argument.
  void notePassed(const clang::FunctionDecl *Callee, const clang::Expr &E);
  /// \p E is evaluated as an address that may be used for anything.
  void visitEscaping(const clang::Expr &E);
  /// The parts of the lvalue \p E that lead to the object, such as a pointer.
  void visitBase(const clang::Expr &E);
  /// True if a function that copies or moves copies the member \p E.
  bool isCopied(const clang::Expr &E) const;

  /// \p E without conversions of pointers.
  static const clang::Expr &unconverted(const clang::Expr &E);
  /// True if \p F, null or a function, copies or moves an object.
  static bool isCopyRole(const clang::FunctionDecl *F);
  static FunctionFacts::MemberRole roleOf(const clang::FunctionDecl &F);

  void add(const Path &Of, uint8_t Kinds, clang::SourceLocation Loc);
  void addOpaque(const Path &Of, clang::SourceLocation Loc);
  void addOpaqueType(clang::QualType Type, clang::SourceLocation Loc,
                     uint64_t Bits = 0, bool EvenInLibrary = false);
  /// \p E, an address of a member, may lead to reads of the members that
  /// follow, too: of the same type, or \p Any.
  void addFollowing(const clang::Expr &E, bool Any);

  CollectorContext &C;
  clang::ASTContext &Context;
  bool InLibrary = false;
  /// Places of the choices around the current expression, innermost last.
  llvm::SmallVector<clang::SourceLocation, 4> Choices;
  /// A member that is only copied to the same one of another object.
  const clang::Expr *Copied = nullptr;
  FieldPaths Paths;
  UncountedReads Uncounted;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_FIELDUSES_H
