//===- BlockHeads.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/BlockHeads.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace inmem {

static const VarDecl *variableIn(const Expr &E) {
  auto *Reference = dyn_cast<DeclRefExpr>(E.IgnoreParenCasts());
  return Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
}

namespace {
/// Visits statements in the order of the source, without regard to branches.
class HeadFinder {
public:
  explicit HeadFinder(const VarDecl &Block) : Block(Block) {}

  void visit(const Stmt *S);
  QualType head() const {
    const bool Typed = Block.getType()->getPointeeType()->isRecordType();
    return Disagree || (Returned && !Typed) ? QualType() : Head;
  }

private:
  /// True if \p Pointer is where the block begins.
  bool isStart(const Expr &Pointer) const {
    const VarDecl *V = variableIn(Pointer);
    return V && (V == &Block ? AtStart : Views.contains(V));
  }
  void assign(const VarDecl &V, const Expr &Value);
  void move(const VarDecl &V);
  void visitAssignment(const BinaryOperator &E);
  void visitUnary(const UnaryOperator &E);
  void noteStore(const Expr &Lvalue);
  void noteStoreThrough(const Expr &Pointer);

  const VarDecl &Block;
  bool AtStart = false, Returned = false, Disagree = false;
  QualType Head;
  llvm::SmallPtrSet<const VarDecl *, 2> Views; ///< copies of the pointer
};
} // namespace

void HeadFinder::move(const VarDecl &V) {
  if (&V == &Block)
    AtStart = false;
  else
    Views.erase(&V);
}

void HeadFinder::assign(const VarDecl &V, const Expr &Value) {
  const Expr *Plain = Value.IgnoreParenCasts();
  if (auto *Inner = dyn_cast<BinaryOperator>(Plain))
    if (Inner->getOpcode() == BO_Assign)
      Plain = Inner->getLHS(); // a = b = f()
  if (&V == &Block)
    AtStart = isa<CallExpr, ConditionalOperator>(Plain) || isStart(*Plain);
  else if (isStart(*Plain))
    Views.insert(&V);
  else
    Views.erase(&V);
}

/// Bytes begin with any class; a pointer to another class says nothing.
void HeadFinder::noteStoreThrough(const Expr &Pointer) {
  const Expr *Base = Pointer.IgnoreParenImpCasts();
  const QualType Class = Base->getType()->getPointeeType();
  if (Class.isNull() || !Class->isRecordType() || !isStart(*Base))
    return;
  const QualType Plain = Class.getCanonicalType().getUnqualifiedType();
  Disagree |= !Head.isNull() && Head != Plain;
  Head = Plain;
}

void HeadFinder::noteStore(const Expr &Lvalue) {
  const Expr *E = Lvalue.IgnoreParens();
  while (true) {
    if (auto *Element = dyn_cast<ArraySubscriptExpr>(E)) {
      const Expr *Array = Element->getBase()->IgnoreImpCasts()->IgnoreParens();
      if (!Array->getType()->isArrayType())
        return;
      E = Array;
      continue;
    }
    auto *Member = dyn_cast<MemberExpr>(E);
    if (!Member)
      break;
    if (Member->isArrow())
      return noteStoreThrough(*Member->getBase());
    E = Member->getBase()->IgnoreParenImpCasts();
  }
  if (auto *Deref = dyn_cast<UnaryOperator>(E);
      Deref && Deref->getOpcode() == UO_Deref)
    noteStoreThrough(*Deref->getSubExpr());
}

void HeadFinder::visitAssignment(const BinaryOperator &E) {
  visit(E.getRHS());
  auto *Reference = dyn_cast<DeclRefExpr>(E.getLHS()->IgnoreParens());
  auto *V = Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  if (!V) {
    visit(E.getLHS());
    return noteStore(*E.getLHS());
  }
  if (E.getOpcode() == BO_Assign)
    assign(*V, *E.getRHS());
  else
    move(*V);
}

void HeadFinder::visitUnary(const UnaryOperator &E) {
  const VarDecl *V = variableIn(*E.getSubExpr());
  if (V && E.isIncrementDecrementOp())
    return move(*V);
  // posix_memalign((void **)&m, ...)
  if (V == &Block && E.getOpcode() == UO_AddrOf)
    AtStart = true;
  visit(E.getSubExpr());
}

void HeadFinder::visit(const Stmt *S) {
  if (!S || isa<UnaryExprOrTypeTraitExpr>(S))
    return;
  if (auto *Declaration = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Declaration->decls())
      if (auto *V = dyn_cast<VarDecl>(D); V && V->getInit()) {
        visit(V->getInit());
        assign(*V, *V->getInit());
      }
    return;
  }
  if (auto *Binary = dyn_cast<BinaryOperator>(S);
      Binary && Binary->isAssignmentOp())
    return visitAssignment(*Binary);
  if (auto *Unary = dyn_cast<UnaryOperator>(S))
    return visitUnary(*Unary);
  if (auto *Return = dyn_cast<ReturnStmt>(S); Return && Return->getRetValue())
    Returned |= isStart(*Return->getRetValue());
  for (const Stmt *Child : S->children())
    visit(Child);
}

QualType headOf(const Stmt &Body, const VarDecl &Block) {
  HeadFinder Finder(Block);
  Finder.visit(&Body);
  return Finder.head();
}

} // namespace inmem
