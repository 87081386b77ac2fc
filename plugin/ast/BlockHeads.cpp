//===- BlockHeads.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/BlockHeads.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace inmem {

static const VarDecl *variableIn(const Expr &E) {
  auto *Reference = dyn_cast<DeclRefExpr>(E.IgnoreParenCasts());
  return Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
}

BlockHeads::Blocks BlockHeads::startingAt(const Expr &Pointer) const {
  const VarDecl *V = variableIn(Pointer);
  return V ? Starts.lookup(V) : Blocks();
}

void BlockHeads::assign(const VarDecl &V, const Expr &Value) {
  if (!V.getType()->isPointerType())
    return;
  const Expr *Plain = Value.IgnoreParenCasts();
  if (auto *Inner = dyn_cast<BinaryOperator>(Plain))
    if (Inner->getOpcode() == BO_Assign)
      Plain = Inner->getLHS(); // a = b = f()
  if (isa<CallExpr, ConditionalOperator>(Plain))
    Starts[&V] = {&V};
  else
    Starts[&V] = startingAt(*Plain);
}

/// Raw bytes may start with any class, so only stores through a pointer to a
/// class count.
void BlockHeads::noteStoreThrough(const Expr &Pointer) {
  const Expr *Base = Pointer.IgnoreParenImpCasts();
  const QualType Class = Base->getType()->getPointeeType();
  if (Class.isNull() || !Class->isRecordType())
    return;
  const QualType Plain = Class.getCanonicalType().getUnqualifiedType();
  for (const VarDecl *Block : startingAt(*Base)) {
    Found &Of = Heads[Block];
    Of.Disagree |= !Of.Head.isNull() && Of.Head != Plain;
    Of.Head = Plain;
  }
}

void BlockHeads::noteStore(const Expr &Lvalue) {
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

void BlockHeads::visitAssignment(const BinaryOperator &E) {
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
    Starts.erase(V);
}

void BlockHeads::visitUnary(const UnaryOperator &E) {
  const VarDecl *V = variableIn(*E.getSubExpr());
  if (V && E.isIncrementDecrementOp()) {
    Starts.erase(V);
    return;
  }
  // posix_memalign((void **)&m, ...)
  if (V && V->getType()->isPointerType() && E.getOpcode() == UO_AddrOf)
    if (Blocks &Of = Starts[V]; !llvm::is_contained(Of, V))
      Of.push_back(V);
  visit(E.getSubExpr());
}

void BlockHeads::visit(const Stmt *S) {
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
    for (const VarDecl *Block : startingAt(*Return->getRetValue()))
      Heads[Block].Returned = true;
  for (const Stmt *Child : S->children())
    visit(Child);
}

QualType BlockHeads::of(const VarDecl &Block) const {
  const Found Of = Heads.lookup(&Block);
  const bool Typed = Block.getType()->getPointeeType()->isRecordType();
  return Of.Disagree || (Of.Returned && !Typed) ? QualType() : Of.Head;
}

} // namespace inmem
