//===- VariableUses.cpp - uses of variables in a body ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "ast/VariableUses.h"
#include "Compat.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using llvm::ArrayRef;
using llvm::StringRef;

namespace inmem {

/// True if string views have this member, too.
static bool isMemberOfViews(const FunctionDecl &F) {
  if (isa<CXXConversionDecl>(F))
    return true; // conversion to a view
  if (F.getOverloadedOperator() == OO_Subscript)
    return true;
  static constexpr StringRef Names[] = {"size",         "length",
                                        "max_size",     "empty",
                                        "at",           "front",
                                        "back",         "begin",
                                        "end",          "cbegin",
                                        "cend",         "rbegin",
                                        "rend",         "crbegin",
                                        "crend",        "find",
                                        "rfind",        "find_first_of",
                                        "find_last_of", "find_first_not_of",
                                        "compare",      "find_last_not_of",
                                        "starts_with",  "ends_with",
                                        "contains",     "copy"};
  return isNamed(F, Names);
}

void VariableUses::scan(const FunctionDecl &F) {
  Context = &F.getASTContext();
  ThisIsNew = isa<CXXConstructorDecl>(F);
  if (auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
    for (const CXXCtorInitializer *Init : Constructor->inits())
      visit(Init->getInit());
  visit(F.getBody());
}

void VariableUses::visitAll(ArrayRef<const Expr *> Some) {
  for (const Expr *E : Some)
    visit(E);
}

void VariableUses::visitChildren(const Stmt &S) {
  for (const Stmt *Child : S.children())
    if (auto *E = dyn_cast_or_null<Expr>(Child); E && !isa<Expr, DeclStmt>(S))
      read(*E->IgnoreImplicit()); // result unused
    else
      visit(Child);
}

/// True if a cast removes const.
static bool dropsConst(const CastExpr &E) {
  auto *Explicit = dyn_cast<ExplicitCastExpr>(&E);
  if (!Explicit)
    return false;
  QualType From = Explicit->getSubExprAsWritten()->getType();
  QualType To = E.getType();
  if (To->isPointerType() && From->isPointerType()) {
    From = From->getPointeeType();
    To = To->getPointeeType();
  } else if (!E.isGLValue()) {
    return false;
  }
  return From.isConstQualified() && !To.isConstQualified();
}

void VariableUses::visitCast(const CastExpr &E) {
  const Expr &From = *E.getSubExpr();
  if (isa<CXXConstCastExpr, CXXReinterpretCastExpr>(E) || dropsConst(E)) {
    if (From.isGLValue() && E.isGLValue() && !E.getType().isConstQualified())
      Outside |= bool(Holders.in(E.getType()));
    return changeAll(&From);
  }
  if (E.getCastKind() == CK_ToVoid || E.getCastKind() == CK_LValueToRValue)
    return read(From);
  if (E.getCastKind() == CK_NoOp && E.getType().isConstQualified() &&
      E.isLValue() && !E.getType().isVolatileQualified())
    return read(From, true);
  // The pointer cannot change the array's elements.
  auto *Decay = dyn_cast<CastExpr>(From.IgnoreParens());
  if (E.getCastKind() == CK_NoOp && E.getType()->isPointerType() &&
      E.getType()->getPointeeType().isConstQualified() && Decay &&
      Decay->getCastKind() == CK_ArrayToPointerDecay)
    return read(*Decay->getSubExpr(), true);
  visit(&From);
}

/// Visits an argument through which the callee may reach strings. If \p Kept,
/// the owner of a copy may, too.
void VariableUses::visitArgument(const Expr &E, bool Kept) {
  visit(&E);
  if (E.getType()->isAnyPointerType())
    return changeBehind(E);
  auto *Class = E.getType()->getAsCXXRecordDecl();
  if (!Kept || !Class || !E.isGLValue())
    return;
  Operands Rest;
  Part P = ownerOf(partOf(E, Rest));
  if (isOwn(P) && !isa<ParmVarDecl>(P.Of))
    return;
  if (Marker.written(*E.IgnoreParenImpCasts()).isGLValue())
    Outside |= Holders.in(E.getType()).Referred;
}

void VariableUses::visitArguments(ArrayRef<const Expr *> Arguments,
                                  const FunctionDecl *Callee) {
  const auto *Constructor = dyn_cast_or_null<CXXConstructorDecl>(Callee);
  bool Copies = Constructor && Constructor->isCopyOrMoveConstructor();
  for (const Expr *E : Arguments) {
    // Trusts const in the program's own classes.
    auto *Class = E->getType()->getAsCXXRecordDecl();
    visitArgument(*E, Copies || (Class && isLibrary(*Class) &&
                                 !(Callee && isLibrary(*Callee))));
  }
}

void VariableUses::visitMemberCall(const CXXMemberCallExpr &E) {
  Calls.insert(&E);
  const CXXMethodDecl *Method = E.getMethodDecl();
  const Expr *Object = E.getImplicitObjectArgument();
  if (!Method || !Object) { // through a pointer to member
    Outside = true;
    return visitChildren(E);
  }
  if (isa<CXXThisExpr>(Object->IgnoreParenImpCasts()) && Method->isConst()) {
    // Trusts const member functions.
  } else if (Method->isConst()) {
    read(*Object, !isString(Method->getParent()) || !isMemberOfViews(*Method));
  } else {
    visit(Object);
    if (Object->getType()->isPointerType())
      changeBehind(*Object);
  }
  visitArguments({E.getArgs(), E.getNumArgs()}, Method);
}

/// True if \p E is a lambda of this function with a body to scan.
bool VariableUses::isOwnLambda(const Expr &E) const {
  Operands Rest;
  const VarDecl *V = partOf(E, Rest).Of;
  const Expr *Of = V && V->hasLocalStorage() ? V->getInit() : &E;
  return Of && isa<LambdaExpr>(Marker.written(
                   *Marker.written(*Of).IgnoreUnlessSpelledInSource()));
}

/// True if the operator changes no object that an iterator or pointer refers
/// to.
static bool isStep(OverloadedOperatorKind Kind) {
  return Kind == OO_PlusPlus || Kind == OO_MinusMinus || Kind == OO_PlusEqual ||
         Kind == OO_MinusEqual;
}

void VariableUses::visitOperator(const CXXOperatorCallExpr &E) {
  Calls.insert(&E);
  const FunctionDecl *F = E.getDirectCallee();
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  // The first argument from which on a view suffices.
  unsigned Viewed = E.getNumArgs();
  switch (F && (Method ? isString(Method->getParent()) : F->isInStdNamespace())
              ? E.getOperator()
              : OO_None) {
  case OO_EqualEqual:
  case OO_ExclaimEqual:
  case OO_Less:
  case OO_Greater:
  case OO_LessEqual:
  case OO_GreaterEqual:
  case OO_Spaceship:
    Viewed = 0;
    break;
  case OO_LessLess:
  case OO_Equal:
  case OO_PlusEqual:
    Viewed = 1;
    break;
  default:
    break;
  }
  unsigned First = 0;
  if (Method && !Method->isStatic()) {
    const Expr &Object = *E.getArg(0);
    const CXXRecordDecl &Class = *Method->getParent();
    First = 1;
    if (E.getOperator() == OO_Call &&
        (Class.isLambda() ? !isOwnLambda(Object)
                          : isLibrary(Class) && !Class.isEmpty()))
      Outside = true;
    Operands Rest;
    Part Stepped =
        isStep(E.getOperator()) && isLibrary(Class) && !isContainer(Class)
            ? partOf(Object, Rest)
            : Part();
    if (Method->isConst())
      read(Object, !isString(&Class) || (Viewed && !isMemberOfViews(*Method)));
    else if (Stepped.Of)
      change(*Stepped.Of);
    else
      visit(&Object);
  }
  for (unsigned I = First; I < E.getNumArgs(); ++I)
    if (I < Viewed || !readsOnly(*E.getArg(I), false))
      visitArguments(E.getArg(I), F);
}

void VariableUses::visitCall(const CallExpr &E) {
  Calls.insert(&E);
  const FunctionDecl *F = E.getDirectCallee();
  // Returns a reference to its argument.
  if (F && F->isInStdNamespace() &&
      isNamed(*F, {"move", "forward", "move_if_noexcept", "addressof",
                   "as_const", "ref", "cref", "tie"})) {
    if (!isNamed(*F, {"addressof", "as_const", "cref"}))
      for (const Expr *Argument : E.arguments())
        if (Argument->isGLValue() && !Argument->getType().isConstQualified())
          visit(Argument);
    if (isNamed(*F, {"ref", "tie", "addressof"}))
      alias(&E);
    return changeAll(&E);
  }
  if (!F && !isa<CXXPseudoDestructorExpr>(E.getCallee()->IgnoreParens()))
    Outside = true; // unknown callee
  visit(E.getCallee());
  visitArguments({E.getArgs(), E.getNumArgs()}, F);
}

void VariableUses::visitAnyCall(const CallExpr &E) {
  if (auto *Member = dyn_cast<CXXMemberCallExpr>(&E))
    return visitMemberCall(*Member);
  if (auto *Operator = dyn_cast<CXXOperatorCallExpr>(&E))
    return visitOperator(*Operator);
  visitCall(E);
}

/// A returned reference may be used in any way.
void VariableUses::visitResult(const CallExpr &E) {
  if (elementOf(E))
    return visitLvalue(E);
  visitAnyCall(E);
  if (!E.isGLValue() || E.getType().isConstQualified())
    return;
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(E.getCalleeDecl());
  auto *Operator = dyn_cast<CXXOperatorCallExpr>(&E);
  // The result was visited with the object that it is part of.
  if (Method && (isContainer(*Method->getParent()) ||
                 (Operator && (Operator->isAssignmentOp() ||
                               isStep(Operator->getOperator())))))
    return;
  const FunctionDecl *F = E.getDirectCallee();
  // The results of these were visited with their argument.
  if (F && !Method && F->isInStdNamespace() &&
      isNamed(*F, {"move", "forward", "move_if_noexcept", "get"}))
    return;
  Outside |= bool(Holders.in(E.getType()));
}

void VariableUses::visitBinary(const BinaryOperator &E) {
  if (E.getOpcode() == BO_PtrMemI)
    changeBehind(*E.getLHS());
  // An object that is assigned a pointer may use it. A variable is tracked
  // instead.
  if (E.getOpcode() == BO_Assign && E.getType()->isAnyPointerType() &&
      !isa<DeclRefExpr>(E.getLHS()->IgnoreParens()))
    changeBehind(*E.getRHS());
  visitChildren(E);
}

void VariableUses::visitNew(const CXXNewExpr &E) {
  for (const Expr *Argument : E.placement_arguments())
    if (Argument->getType()->isAnyPointerType())
      changeBehind(*Argument);
  visitChildren(E);
}

/// The destructor runs, and the object no longer exists for its users.
void VariableUses::visitDelete(const CXXDeleteExpr &E) {
  visit(E.getArgument());
  QualType Type = E.getDestroyedType();
  Outside |= Type.isNull() || Holders.in(Type);
}

void VariableUses::visitLoop(const CXXForRangeStmt &S) {
  const VarDecl &Each = *S.getLoopVariable();
  QualType Type = Each.getType();
  const Expr &Range = *S.getRangeInit();
  Declared.push_back(&Each);
  Loops[&Each] = &S;
  visit(S.getInit());
  if (Type->isReferenceType() &&
      !Type.getNonReferenceType().isConstQualified()) {
    changeAll(&Range);
    visit(&Range);
  } else {
    read(Range);
    visit(Each.getInit());
  }
  visit(S.getBody());
}

void VariableUses::visitLambda(const LambdaExpr &E) {
  auto Init = E.capture_init_begin();
  for (const LambdaCapture &Capture : E.captures()) {
    const Expr *Value = *Init++;
    if (Capture.getCaptureKind() == LCK_ByRef) {
      changeAll(Value);
      alias(Value);
    } else {
      visit(Value);
    }
  }
  VariableUses Body(Marker);
  Body.Context = Context;
  Body.InLambda = true;
  Body.ThisIsNew = ThisIsNew;
  Body.visit(E.getBody());
  Outside |= Body.Outside || !Body.Understood || E.isGenericLambda();
  Characters |= Body.Characters;
}

void VariableUses::visitDeclaration(const DeclStmt &S) {
  for (const Decl *D : S.decls()) {
    auto *V = dyn_cast<VarDecl>(D);
    if (!V || !V->hasInit())
      continue;
    Declared.push_back(V);
    QualType Type = V->getType();
    // A plain reference to a variable is tracked by its name.
    if (Type->isReferenceType() ? !variableOf(*V->getInit())
                                : Holders.in(Type).Referred)
      alias(V->getInit());
  }
  visitChildren(S);
}

/// Handles a value that leaves the function; a local variable is moved from.
void VariableUses::visitHandedOn(const Expr *Value) {
  if (!Value)
    return;
  const Expr *E = Value->IgnoreUnlessSpelledInSource();
  auto *Reference = dyn_cast<DeclRefExpr>(E);
  auto *V = Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
  if (V && !V->getType()->isReferenceType())
    return change(*V);
  visit(Value);
}

/// Assumes that all variables in \p S may be changed.
void VariableUses::changeAll(const Stmt *S) {
  if (!S)
    return;
  if (auto *E = dyn_cast<Expr>(S))
    S = &Marker.written(*E);
  if (auto *Reference = dyn_cast<DeclRefExpr>(S))
    if (auto *V = dyn_cast<VarDecl>(Reference->getDecl()))
      change(*V);
  if (isa<CallExpr>(S) || isa<CXXConstructExpr>(S))
    Calls.insert(cast<Expr>(S));
  if (isa<LambdaExpr>(S))
    return visitLambda(*cast<LambdaExpr>(S));
  for (const Stmt *Child : S->children())
    changeAll(Child);
}

void VariableUses::visit(const Stmt *S) {
  if (!S)
    return;
  if (auto *E = dyn_cast<Expr>(S))
    S = &Marker.written(*E);
  switch (S->getStmtClass()) {
  case Stmt::GCCAsmStmtClass:
  case Stmt::MSAsmStmtClass:
  case Stmt::CapturedStmtClass:
  case Stmt::BlockExprClass:
  case Stmt::CoroutineBodyStmtClass:
    Understood = false;
    return;
  case Stmt::UnaryExprOrTypeTraitExprClass:
  case Stmt::CXXNoexceptExprClass:
  case Stmt::RequiresExprClass:
  case Stmt::TypeTraitExprClass:
  case Stmt::CXXDefaultArgExprClass:
  case Stmt::CXXDefaultInitExprClass:
    return;
  case Stmt::DeclRefExprClass:
    return visitReference(*cast<DeclRefExpr>(S));
  case Stmt::CXXThisExprClass:
    if (!ThisIsNew &&
        !cast<CXXThisExpr>(S)->getType()->getPointeeType().isConstQualified())
      Outside = true;
    return;
  case Stmt::MemberExprClass:
  case Stmt::ArraySubscriptExprClass:
    return visitLvalue(*cast<Expr>(S));
  case Stmt::UnaryOperatorClass: {
    auto *Operator = cast<UnaryOperator>(S);
    if (Operator->getOpcode() == UO_AddrOf) {
      alias(S);
      return changeAll(S);
    }
    if (Operator->getOpcode() == UO_Deref)
      return visitLvalue(*Operator);
    return visitChildren(*S);
  }
  case Stmt::InitListExprClass:
    for (const Expr *E : cast<InitListExpr>(S)->inits())
      visitArgument(*E, false);
    return;
  case Stmt::BinaryOperatorClass:
    return visitBinary(*cast<BinaryOperator>(S));
  case Stmt::CXXNewExprClass:
    return visitNew(*cast<CXXNewExpr>(S));
  case Stmt::CXXDeleteExprClass:
    return visitDelete(*cast<CXXDeleteExpr>(S));
  case Stmt::LambdaExprClass:
    return visitLambda(*cast<LambdaExpr>(S));
  case Stmt::CXXForRangeStmtClass:
    return visitLoop(*cast<CXXForRangeStmt>(S));
  case Stmt::ReturnStmtClass:
    return visitHandedOn(cast<ReturnStmt>(S)->getRetValue());
  case Stmt::CXXThrowExprClass:
    return visitHandedOn(cast<CXXThrowExpr>(S)->getSubExpr());
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
  case Stmt::UserDefinedLiteralClass:
  case Stmt::CallExprClass:
    return visitResult(*cast<CallExpr>(S));
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass: {
    auto *Construct = cast<CXXConstructExpr>(S);
    Calls.insert(Construct);
    return visitArguments({Construct->getArgs(), Construct->getNumArgs()},
                          Construct->getConstructor());
  }
  case Stmt::DeclStmtClass:
    return visitDeclaration(*cast<DeclStmt>(S));
  default:
    if (auto *Cast = dyn_cast<CastExpr>(S))
      return visitCast(*Cast);
    return visitChildren(*S);
  }
}

} // namespace inmem
