//===- Lvalues.cpp - lvalues that a body reads or changes -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds out whether lvalues belong to a local variable or to an outside object.
#define INMEM_COMPAT_CLANG
#include "Compat.h"
#include "ast/VariableUses.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace inmem {

const Expr *elementOf(const Expr &E) {
  if (auto *Operator = dyn_cast<CXXOperatorCallExpr>(&E)) {
    auto *Method = dyn_cast_or_null<CXXMethodDecl>(Operator->getCalleeDecl());
    // A map's inserts.
    return Method && Operator->getOperator() == OO_Subscript &&
                   isInStd(*Method,
                           {"basic_string", "vector", "array", "deque"})
               ? Operator->getArg(0)
               : nullptr;
  }
  auto *Call = dyn_cast<CXXMemberCallExpr>(&E);
  const CXXMethodDecl *Method = Call ? Call->getMethodDecl() : nullptr;
  if (!Method ||
      !isInStd(*Method, {"basic_string", "vector", "array", "deque", "list",
                         "map", "unordered_map"}) ||
      !isNamed(*Method, {"at", "front", "back"}))
    return nullptr;
  const Expr *Object = Call->getImplicitObjectArgument();
  return Object->getType()->isPointerType() ? nullptr : Object;
}

const VarDecl *variableOf(const DeclRefExpr &E) {
  auto *Binding = dyn_cast<BindingDecl>(E.getDecl());
  if (Binding && !Binding->getHoldingVar())
    return dyn_cast<VarDecl>(Binding->getDecomposedDecl());
  return dyn_cast<VarDecl>(E.getDecl());
}

VariableUses::Part VariableUses::partOf(const Expr &Whole,
                                        Operands &Rest) const {
  bool Inner = false;
  for (const Expr *E = &Whole;;) {
    E = &Marker.written(*E->IgnoreParens());
    if (auto *Reference = dyn_cast<DeclRefExpr>(E))
      return {inmem::variableOf(*Reference), Inner, false,
              Reference->refersToEnclosingVariableOrCapture()};
    if (auto *Cast = dyn_cast<CastExpr>(E)) {
      if (isa<CXXConstCastExpr>(Cast) ||
          (Cast->getCastKind() != CK_NoOp &&
           Cast->getCastKind() != CK_DerivedToBase &&
           Cast->getCastKind() != CK_UncheckedDerivedToBase))
        return {};
      E = Cast->getSubExpr();
      continue;
    }
    Inner = true;
    if (const Expr *Object = elementOf(*E)) {
      for (const Expr *Argument : cast<CallExpr>(E)->arguments())
        if (Argument != Object)
          Rest.push_back(Argument);
      E = Object;
    } else if (auto *Member = dyn_cast<MemberExpr>(E);
               Member && isa<FieldDecl>(Member->getMemberDecl()) &&
               !Member->getMemberDecl()->getType()->isReferenceType()) {
      E = Member->getBase();
      if (Member->isArrow())
        return {nullptr, true, isa<CXXThisExpr>(E->IgnoreParenImpCasts())};
    } else if (auto *Element = dyn_cast<ArraySubscriptExpr>(E)) {
      auto *Decay =
          dyn_cast<ImplicitCastExpr>(Element->getBase()->IgnoreParens());
      if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
        return {};
      Rest.push_back(Element->getIdx());
      E = Decay->getSubExpr();
    } else {
      return {};
    }
  }
}

const VarDecl *VariableUses::variableOf(const Expr &E) const {
  Operands Rest;
  return partOf(E, Rest).Of;
}

void VariableUses::change(const VarDecl &V) {
  QualType Type = V.getType();
  Uses[&V].Changed = true;
  if (!V.hasLocalStorage() || Type->isReferenceType())
    return;
  HeldStrings Held = Holders.in(Type);
  Own |= Held.Own || (Held && !Type->isAnyPointerType());
}

/// True for a variable held by value: changing it has no effect outside.
bool VariableUses::isOwn(const Part &P) const {
  return P.Of && P.Of->hasLocalStorage() &&
         !P.Of->getType()->isReferenceType() && (!P.Captured || InLambda);
}

/// The range, if \p P is the variable of a loop over an array or an owning
/// container; otherwise \p P itself.
VariableUses::Part VariableUses::ownerOf(Part P) const {
  constexpr unsigned kMostLoops = 8;
  for (unsigned I = 0; I < kMostLoops && P.Of; ++I) {
    const CXXForRangeStmt *Loop =
        P.Of->getType()->isReferenceType() ? Loops.lookup(P.Of) : nullptr;
    if (!Loop)
      break;
    const Expr &Range =
        Marker.written(*Loop->getRangeInit()->IgnoreParenImpCasts());
    const CXXRecordDecl *Class = Range.getType()->getAsCXXRecordDecl();
    if (Class ? !isContainer(*Class) : !Range.getType()->isArrayType())
      break;
    Operands Rest;
    Part Whole = partOf(Range, Rest);
    if (!Whole.Of)
      break;
    Whole.Captured |= P.Captured;
    P = Whole;
  }
  return P;
}

/// Handles a write to \p Lvalue, or its escape to code that may write to it.
void VariableUses::changeLvalue(const Expr &Lvalue) {
  QualType Type = Lvalue.getType();
  HeldStrings Held = Holders.in(Type);
  // Changing a number or a pointer does not change a string.
  if (Type->isAnyPointerType() ||
      (Type->isScalarType() && isa<MemberExpr>(Lvalue)))
    Held = {};
  Operands Rest;
  Part P = partOf(Lvalue, Rest);
  if (!P) {
    Outside |= bool(Held);
    return read(Lvalue);
  }
  visitAll(Rest);
  if (P.Of)
    change(*P.Of);
  P = ownerOf(P);
  if (!isOwn(P)) {
    Outside |= Held && !(P.This && ThisIsNew);
    return;
  }
  auto *Class = Type->getAsCXXRecordDecl();
  if (isa<ParmVarDecl>(P.Of) && Class && Held) {
    // The caller may have moved an object into the parameter, and also passed
    // that object by reference.
    Characters = true;
    Outside |= !isString(Class);
  } else if (Held.Referred && !(Class && isLibrary(*Class))) {
    Outside = true; // a member function may change its referent
  }
}

/// Handles the escape of \p Pointer to code that may change its target.
void VariableUses::changeBehind(const Expr &Pointer) {
  if (!Holders.behind(Pointer.getType()))
    return;
  // The last initialiser of a list may be wrapped in a marker.
  const Expr &Unmarked = Marker.written(*Pointer.IgnoreParens());
  const Expr &E = Marker.written(*Unmarked.IgnoreParenCasts());
  if (E.isNullPointerConstant(*Context, Expr::NPC_ValueDependentIsNull))
    return;
  auto *Address = dyn_cast<UnaryOperator>(&E);
  if (Address && Address->getOpcode() == UO_AddrOf)
    visit(Address->getSubExpr());
  else if (E.getType()->isArrayType())
    visit(&E);
  else if (!isa<CXXThisExpr, CXXNewExpr, ImplicitValueInitExpr,
                CXXDefaultInitExpr, CXXDefaultArgExpr>(E))
    Outside = true;
}

/// Handles an unknown use of a variable.
void VariableUses::visitReference(const DeclRefExpr &E) {
  const VarDecl *V = inmem::variableOf(E);
  if (!V) {
    auto *Binding = dyn_cast<BindingDecl>(E.getDecl());
    auto *Of = Binding ? Binding->getDecomposedDecl() : nullptr;
    if (Of && !E.getType().isConstQualified())
      Outside |= Holders.in(Of->getType()).Referred;
    return;
  }
  if (E.getType().isConstQualified())
    need({V, false});
  else
    changeLvalue(E);
}

/// Handles an lvalue that may be used in any way that its type allows.
void VariableUses::visitLvalue(const Expr &E) {
  auto *Member = dyn_cast<MemberExpr>(&E);
  if (Member && !isa<FieldDecl>(Member->getMemberDecl())) {
    if (isa<VarDecl>(Member->getMemberDecl()) &&
        !E.getType().isConstQualified())
      Outside |= bool(Holders.in(E.getType()));
    return read(*Member->getBase());
  }
  if (E.getType().isConstQualified())
    return read(E, true);
  changeLvalue(E);
}

/// Records a read of \p E if it is part of a variable.
bool VariableUses::readsOnly(const Expr &E, bool Needed) {
  Operands Rest;
  Part P = partOf(E, Rest);
  if (!P)
    return false;
  if (Needed)
    need(P);
  visitAll(Rest);
  return true;
}

/// Handles a use of \p Lvalue that reads but cannot change it.
void VariableUses::read(const Expr &Lvalue, bool Needed) {
  const Expr &E = Marker.written(*Lvalue.IgnoreParens());
  if (!E.isGLValue())
    return visit(&E);
  if (readsOnly(E, Needed) || isa<DeclRefExpr>(E))
    return;
  if (auto *Member = dyn_cast<MemberExpr>(&E))
    return read(*Member->getBase());
  if (auto *Element = dyn_cast<ArraySubscriptExpr>(&E)) {
    visit(Element->getIdx());
    const Expr &Base = *Element->getBase()->IgnoreParenImpCasts();
    return Base.getType()->isArrayType() ? read(Base)
                                         : visit(Element->getBase());
  }
  if (auto *Pointed = dyn_cast<UnaryOperator>(&E);
      Pointed && Pointed->getOpcode() == UO_Deref)
    return visit(Pointed->getSubExpr());
  if (const Expr *Object = elementOf(E)) {
    for (const Expr *Argument : cast<CallExpr>(E).arguments())
      if (Argument != Object)
        visit(Argument);
    return read(*Object, Needed);
  }
  if (auto *Either = dyn_cast<ConditionalOperator>(&E)) {
    visit(Either->getCond());
    read(*Either->getTrueExpr(), Needed);
    return read(*Either->getFalseExpr(), Needed);
  }
  if (auto *Cast = dyn_cast<CastExpr>(&E); Cast && !isa<CXXConstCastExpr>(E) &&
                                           !isa<CXXReinterpretCastExpr>(E) &&
                                           Cast->getSubExpr()->isGLValue())
    return read(*Cast->getSubExpr(), Needed);
  if (auto *Call = dyn_cast<CallExpr>(&E))
    return visitAnyCall(*Call);
  visit(&E);
}

/// Handles a result of \p S that may refer to the variables in it.
void VariableUses::alias(const Stmt *S) {
  if (!S)
    return;
  if (auto *E = dyn_cast<Expr>(S))
    S = &Marker.written(*E);
  if (auto *Reference = dyn_cast<DeclRefExpr>(S))
    if (const VarDecl *V = inmem::variableOf(*Reference))
      Uses[V].Aliased = true;
  for (const Stmt *Child : S->children())
    alias(Child);
}

} // namespace inmem
