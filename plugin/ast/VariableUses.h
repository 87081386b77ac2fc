//===- VariableUses.h - what a body does with its variables -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of each variable that a function names: whether it is only read, and whether
// the characters of a string would do. In doubt it is changed.
#ifndef INMEM_PLUGIN_AST_VARIABLEUSES_H
#define INMEM_PLUGIN_AST_VARIABLEUSES_H

#include "ast/ConstructionMarker.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace inmem {

/// Whether \p Class is a std::basic_string.
bool isString(const clang::CXXRecordDecl *Class);
inline bool isString(clang::QualType Type) {
  return isString(Type->getAsCXXRecordDecl());
}
/// Whether \p D, or the class that it is a member of, is one of \p Names in
/// namespace std.
bool isInStd(const clang::NamedDecl &D, llvm::ArrayRef<llvm::StringRef> Names);
/// The object that operator[], at(), front() or back() of a container that owns
/// its elements is called for; null: \p E is no such call.
const clang::Expr *elementOf(const clang::Expr &E);

class VariableUses {
public:
  explicit VariableUses(const ConstructionMarker &Marker) : Marker(Marker) {}

  void scan(const clang::FunctionDecl &F);

  /// False: something in the function makes all that is said here doubtful.
  bool understood() const { return Understood; }
  /// It is written to, moved, returned, or someone may have its address.
  bool isChanged(const clang::VarDecl &V) const {
    return Uses.lookup(&V).Changed;
  }
  /// Of a string: something takes the object, so that a view would not do.
  bool isNeeded(const clang::VarDecl &V) const {
    return Uses.lookup(&V).Needed;
  }
  /// It may change strings of others than its own variables.
  bool changesOutside() const { return Outside; }
  /// The variable that \p E is, or is a part of; null if there is none.
  const clang::VarDecl *variableOf(const clang::Expr &E) const;
  const clang::Expr &unmarked(const clang::Expr &E) const {
    return Marker.unmarked(E);
  }

  /// Local variables with an initialiser.
  llvm::ArrayRef<const clang::VarDecl *> variables() const { return Declared; }
  /// Constructions and calls.
  llvm::ArrayRef<const clang::Expr *> calls() const { return Calls; }
  /// The loop over a range whose elements \p V is given; null: none.
  const clang::CXXForRangeStmt *loopOf(const clang::VarDecl &V) const {
    return Loops.lookup(&V);
  }

private:
  struct Use {
    bool Changed = false, Needed = false;
  };
  /// A variable, or a member or element of it, or of *this.
  struct Part {
    const clang::VarDecl *Of = nullptr;
    bool Inner = false, This = false;

    explicit operator bool() const { return Of || This; }
  };
  using Others = llvm::SmallVector<const clang::Expr *, 2>;

  Part partOf(const clang::Expr &E, Others &Rest) const;
  void change(const clang::VarDecl &V) { Uses[&V].Changed = true; }
  void need(const Part &P) {
    if (P.Of && !(P.Inner && isString(P.Of->getType().getNonReferenceType())))
      Uses[P.Of].Needed = true;
  }
  void changeObject(const clang::Expr &Object);
  void visit(const clang::Stmt *S);
  void visitAll(llvm::ArrayRef<const clang::Expr *> Some);
  void visitChildren(const clang::Stmt &S);
  void visitReference(const clang::DeclRefExpr &E);
  bool readsOnly(const clang::Expr &E, bool Needed);
  void visitCast(const clang::CastExpr &E);
  void visitMemberCall(const clang::CXXMemberCallExpr &E);
  void visitOperator(const clang::CXXOperatorCallExpr &E);
  void visitCall(const clang::CallExpr &E);
  void visitLoop(const clang::CXXForRangeStmt &S);
  void visitLambda(const clang::LambdaExpr &E);
  void visitHandedOn(const clang::Expr *Value);
  void changeAll(const clang::Stmt *S);

  const ConstructionMarker &Marker;
  bool Understood = true, Outside = false;
  bool ThisIsNew = false; ///< a constructor: nobody else has the object yet
  llvm::DenseMap<const clang::VarDecl *, Use> Uses;
  llvm::SmallVector<const clang::VarDecl *, 8> Declared;
  llvm::SmallVector<const clang::Expr *, 16> Calls;
  llvm::DenseMap<const clang::VarDecl *, const clang::CXXForRangeStmt *> Loops;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_VARIABLEUSES_H
