//===- FieldUses.h - expressions that access fields -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accesses=on. Records, for each function, the members that its expressions
// read, write and call functions on, under the source location that their code
// will have. Also records the classes whose uses no such access covers: objects
// that are cast to another type, or members whose address is taken.
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

  /// Adds the uses in the body and in the initialisers of \p F to the facts of
  /// the current function.
  void note(const clang::FunctionDecl &F);
  /// As above, for the initialiser of a global.
  void note(const clang::VarDecl &Variable);
  /// Call after visiting the whole unit.
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
  /// Handles a read of the lvalue \p E.
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
  /// Handles a call \p E that copies the bytes of an argument to another
  /// object.
  void visitByteCopy(const clang::CallExpr &E);
  /// Handles a store of \p From to the member \p To.
  void noteStored(const std::optional<Path> &To, const clang::Expr &From);
  /// Handles a read of \p E, a part of an object.
  void noteRead(const clang::Expr &E, const std::optional<Path> &Of);
  /// Handles a call of \p Callee with \p E as its object or as an argument.
  void notePassed(const clang::FunctionDecl *Callee, const clang::Expr &E);
  /// Handles an address \p E that may be used in any way.
  void visitEscaping(const clang::Expr &E);
  /// Visits the parts of the lvalue \p E that lead to the object, such as a
  /// pointer.
  void visitBase(const clang::Expr &E);
  /// True if \p E is a member that a copying or moving function copies.
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
  /// Through \p E, the address of a member, code may also read the members that
  /// follow: only members of the same type, or \p Any.
  void addFollowing(const clang::Expr &E, bool Any);

  CollectorContext &C;
  clang::ASTContext &Context;
  bool InLibrary = false;
  /// Places of the choices around the current expression, innermost last.
  llvm::SmallVector<clang::SourceLocation, 4> Choices;
  /// A member that is only copied to the same member of another object.
  const clang::Expr *Copied = nullptr;
  FieldPaths Paths;
  UncountedReads Uncounted;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_FIELDUSES_H
