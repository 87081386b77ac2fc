//===- VariableUses.h - uses of variables in a body -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For each variable that a function names, determines whether it is only read,
// and whether a string view would suffice. If in doubt, assumes a change.
#ifndef INMEM_PLUGIN_AST_VARIABLEUSES_H
#define INMEM_PLUGIN_AST_VARIABLEUSES_H

#include "ast/ConstructionMarker.h"
#include "ast/HeldStrings.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace inmem {

/// The object argument of operator[], at(), front() or back() of a container
/// that owns its elements; null if \p E is another expression.
const clang::Expr *elementOf(const clang::Expr &E);

/// The variable that \p E names; for a structured binding, the decomposed
/// object.
const clang::VarDecl *variableOf(const clang::DeclRefExpr &E);

class VariableUses {
public:
  explicit VariableUses(const ConstructionMarker &Marker) : Marker(Marker) {}

  void scan(const clang::FunctionDecl &F);

  /// False if some code in the function makes these results unreliable.
  bool understood() const { return Understood; }
  /// True if the variable is written to, moved from or returned, or its address
  /// may have escaped.
  bool isChanged(const clang::VarDecl &V) const {
    return Uses.lookup(&V).Changed;
  }
  /// True if a string is used as a string object, so that a view would not
  /// suffice.
  bool isNeeded(const clang::VarDecl &V) const {
    return Uses.lookup(&V).Needed;
  }
  /// True if the function may change strings or characters outside its own
  /// variables.
  bool changesOutside() const { return Outside; }
  /// True if the function may change the characters of a caller's string.
  bool changesCharacters() const { return Outside || Characters; }
  /// True if the function changes a local variable that holds strings.
  bool changesOwn() const { return Own; }
  /// True if the variable may be accessed other than by its name.
  bool isAliased(const clang::VarDecl &V) const {
    return Uses.lookup(&V).Aliased;
  }
  /// The variable that \p E names or is part of, or null.
  const clang::VarDecl *variableOf(const clang::Expr &E) const;
  const clang::Expr &unmarked(const clang::Expr &E) const {
    return Marker.written(E);
  }

  /// Local variables with an initialiser.
  llvm::ArrayRef<const clang::VarDecl *> variables() const { return Declared; }
  /// Constructions and calls.
  llvm::ArrayRef<const clang::Expr *> calls() const {
    return Calls.getArrayRef();
  }
  /// The range-based for loop over the variable \p V, or null.
  const clang::CXXForRangeStmt *loopOf(const clang::VarDecl &V) const {
    return Loops.lookup(&V);
  }

private:
  struct Use {
    bool Changed = false, Needed = false, Aliased = false;
  };
  /// A variable or *this, or a member or element of it.
  struct Part {
    const clang::VarDecl *Of = nullptr;
    bool Inner = false, This = false, Captured = false;

    explicit operator bool() const { return Of || This; }
  };
  using Operands = llvm::SmallVector<const clang::Expr *, 2>;

  Part partOf(const clang::Expr &E, Operands &Rest) const;
  void change(const clang::VarDecl &V);
  void need(const Part &P) {
    if (P.Of && !(P.Inner && isString(P.Of->getType().getNonReferenceType())))
      Uses[P.Of].Needed = true;
  }
  bool isOwn(const Part &P) const;
  Part ownerOf(Part P) const;
  void changeLvalue(const clang::Expr &Lvalue);
  void changeBehind(const clang::Expr &Pointer);
  void alias(const clang::Stmt *S);
  void visit(const clang::Stmt *S);
  void visitAll(llvm::ArrayRef<const clang::Expr *> Some);
  void visitChildren(const clang::Stmt &S);
  void visitReference(const clang::DeclRefExpr &E);
  void visitLvalue(const clang::Expr &E);
  void visitArguments(llvm::ArrayRef<const clang::Expr *> Arguments,
                      const clang::FunctionDecl *Callee);
  void visitArgument(const clang::Expr &E, bool Kept);
  bool readsOnly(const clang::Expr &E, bool Needed);
  void read(const clang::Expr &E, bool Needed = false);
  void visitDeclaration(const clang::DeclStmt &S);
  void visitCast(const clang::CastExpr &E);
  void visitMemberCall(const clang::CXXMemberCallExpr &E);
  void visitOperator(const clang::CXXOperatorCallExpr &E);
  void visitCall(const clang::CallExpr &E);
  void visitAnyCall(const clang::CallExpr &E);
  void visitResult(const clang::CallExpr &E);
  void visitBinary(const clang::BinaryOperator &E);
  void visitNew(const clang::CXXNewExpr &E);
  void visitDelete(const clang::CXXDeleteExpr &E);
  void visitLoop(const clang::CXXForRangeStmt &S);
  bool isOwnLambda(const clang::Expr &E) const;
  void visitLambda(const clang::LambdaExpr &E);
  void visitHandedOn(const clang::Expr *Value);
  void changeAll(const clang::Stmt *S);

  const ConstructionMarker &Marker;
  clang::ASTContext *Context = nullptr;
  StringHolders Holders;
  bool Understood = true, Outside = false, Characters = false, Own = false;
  bool ThisIsNew = false; ///< a constructor: *this has not escaped yet
  bool InLambda = false;  ///< captures belong to the enclosing function
  llvm::DenseMap<const clang::VarDecl *, Use> Uses;
  llvm::SmallVector<const clang::VarDecl *, 8> Declared;
  llvm::SmallSetVector<const clang::Expr *, 16> Calls;
  llvm::DenseMap<const clang::VarDecl *, const clang::CXXForRangeStmt *> Loops;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_VARIABLEUSES_H
