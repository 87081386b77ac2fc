//===- VariableUses.cpp - what a body does with its variables -------------===//
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

bool isInStd(const NamedDecl &D, ArrayRef<StringRef> Names) {
  const NamedDecl *Named = &D;
  if (auto *Method = dyn_cast<CXXMethodDecl>(&D))
    Named = Method->getParent();
  return Named->getIdentifier() &&
         llvm::is_contained(Names, Named->getName()) &&
         Named->isInStdNamespace();
}

bool isString(const CXXRecordDecl *Class) {
  auto *Special = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Class);
  return Special && isInStd(*Special, {"basic_string"});
}

static bool isNamed(const FunctionDecl &F, ArrayRef<StringRef> Names) {
  return F.getIdentifier() && llvm::is_contained(Names, F.getName());
}

const Expr *elementOf(const Expr &E) {
  if (auto *Operator = dyn_cast<CXXOperatorCallExpr>(&E)) {
    auto *Method = dyn_cast_or_null<CXXMethodDecl>(Operator->getCalleeDecl());
    // That of a map inserts.
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

/// Whether a view has the member, too.
static bool isMemberOfViews(const FunctionDecl &F) {
  if (isa<CXXConversionDecl>(F))
    return true; // to a view
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
  ThisIsNew = isa<CXXConstructorDecl>(F);
  if (auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
    for (const CXXCtorInitializer *Init : Constructor->inits())
      visit(Init->getInit());
  visit(F.getBody());
}

VariableUses::Part VariableUses::partOf(const Expr &Whole, Others &Rest) const {
  bool Inner = false;
  for (const Expr *E = &Whole;;) {
    E = &Marker.unmarked(*E->IgnoreParens());
    if (auto *Reference = dyn_cast<DeclRefExpr>(E))
      return {dyn_cast<VarDecl>(Reference->getDecl()), Inner};
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
               Member && isa<FieldDecl>(Member->getMemberDecl())) {
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
  Others Rest;
  return partOf(E, Rest).Of;
}

void VariableUses::visitAll(ArrayRef<const Expr *> Some) {
  for (const Expr *E : Some)
    visit(E);
}

void VariableUses::visitChildren(const Stmt &S) {
  for (const Stmt *Child : S.children())
    visit(Child);
}

/// Whether an object of \p Type may be, or own, a string that others read.
static bool mayHoldStrings(QualType Type) {
  const CXXRecordDecl *Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  return Class && !isInStd(*Class, {"basic_ostream", "basic_istream",
                                    "basic_iostream", "basic_ofstream",
                                    "basic_ostringstream", "ios_base"});
}

/// A use of which nothing is known but the variable.
void VariableUses::visitReference(const DeclRefExpr &E) {
  auto *V = dyn_cast<VarDecl>(E.getDecl());
  if (!V)
    return;
  if (V->getType().getNonReferenceType().isConstQualified())
    return need({V, false});
  change(*V);
  if ((!V->hasLocalStorage() || V->getType()->isReferenceType() ||
       E.refersToEnclosingVariableOrCapture()) &&
      mayHoldStrings(V->getType()))
    Outside = true;
}

/// A function that may change \p Object is called for it.
void VariableUses::changeObject(const Expr &Object) {
  Others Rest;
  bool Pointed = Object.getType()->isPointerType();
  QualType Type =
      Pointed ? Object.getType()->getPointeeType() : Object.getType();
  if (!partOf(Object, Rest) && (Pointed || Object.isLValue()) &&
      !isa<CXXThisExpr>(Object.IgnoreParenImpCasts()) && mayHoldStrings(Type))
    Outside = true;
}

/// Takes \p E, if it is a part of a variable, as something that is read.
bool VariableUses::readsOnly(const Expr &E, bool Needed) {
  Others Rest;
  Part P = partOf(E, Rest);
  if (!P)
    return false;
  if (Needed)
    need(P);
  visitAll(Rest);
  return true;
}

void VariableUses::visitCast(const CastExpr &E) {
  const Expr &From = *E.getSubExpr();
  if (isa<CXXConstCastExpr>(E) || isa<CXXReinterpretCastExpr>(E))
    return changeAll(&From);
  if (E.getCastKind() == CK_ToVoid || E.getCastKind() == CK_LValueToRValue) {
    if (readsOnly(From, false))
      return;
  } else if (E.getCastKind() == CK_NoOp && E.isLValue() &&
             E.getType().isConstQualified() &&
             !E.getType().isVolatileQualified()) {
    if (readsOnly(From, true))
      return;
  }
  visit(&From);
}

void VariableUses::visitMemberCall(const CXXMemberCallExpr &E) {
  Calls.push_back(&E);
  const CXXMethodDecl *Method = E.getMethodDecl();
  const Expr *Object = E.getImplicitObjectArgument();
  if (Method && Method->isConst() && Object &&
      readsOnly(*Object,
                !isString(Method->getParent()) || !isMemberOfViews(*Method)))
    return visitAll(
        llvm::SmallVector<const Expr *, 4>(E.arg_begin(), E.arg_end()));
  visitChildren(E);
}

void VariableUses::visitOperator(const CXXOperatorCallExpr &E) {
  Calls.push_back(&E);
  const FunctionDecl *F = E.getDirectCallee();
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
  // Arguments from this on are read as a view could be.
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
    if (Method && Method->isConst() &&
        readsOnly(*E.getArg(0),
                  !isString(Method->getParent()) || !isMemberOfViews(*Method)))
      return visitAll(
          llvm::SmallVector<const Expr *, 4>(E.arg_begin() + 1, E.arg_end()));
  }
  if (Method && !Method->isConst() && !Method->isStatic())
    changeObject(*E.getArg(0));
  for (unsigned I = 0; I < E.getNumArgs(); ++I)
    if (I < Viewed || !readsOnly(*E.getArg(I), false))
      visit(E.getArg(I));
}

void VariableUses::visitCall(const CallExpr &E) {
  Calls.push_back(&E);
  const FunctionDecl *F = E.getDirectCallee();
  // What hands on a reference to its argument.
  if (F && F->isInStdNamespace() &&
      isNamed(*F, {"move", "forward", "move_if_noexcept", "addressof",
                   "as_const", "ref", "cref", "tie"}))
    return changeAll(&E);
  visitChildren(E);
}

void VariableUses::visitLoop(const CXXForRangeStmt &S) {
  const VarDecl &Each = *S.getLoopVariable();
  QualType Type = Each.getType();
  Declared.push_back(&Each);
  Loops[&Each] = &S;
  visit(S.getInit());
  if (Type->isReferenceType() && !Type.getNonReferenceType().isConstQualified())
    changeAll(S.getRangeInit());
  else if (!readsOnly(*S.getRangeInit(), false))
    visit(S.getRangeInit());
  visit(Each.getInit());
  visit(S.getBody());
}

void VariableUses::visitLambda(const LambdaExpr &E) {
  auto Init = E.capture_init_begin();
  for (const LambdaCapture &Capture : E.captures()) {
    const Expr *Value = *Init++;
    if (Capture.getCaptureKind() == LCK_ByRef)
      changeAll(Value);
    else
      visit(Value);
  }
}

/// A value that leaves the function: of a local variable, by a move.
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

/// Whoever gets \p S may do anything with the variables in it.
void VariableUses::changeAll(const Stmt *S) {
  if (!S)
    return;
  if (auto *E = dyn_cast<Expr>(S))
    S = &Marker.unmarked(*E);
  if (auto *Reference = dyn_cast<DeclRefExpr>(S))
    if (auto *V = dyn_cast<VarDecl>(Reference->getDecl()))
      change(*V);
  if (isa<CallExpr>(S) || isa<CXXConstructExpr>(S))
    Calls.push_back(cast<Expr>(S));
  if (isa<LambdaExpr>(S))
    return visitLambda(*cast<LambdaExpr>(S));
  for (const Stmt *Child : S->children())
    changeAll(Child);
}

void VariableUses::visit(const Stmt *S) {
  if (!S)
    return;
  if (auto *E = dyn_cast<Expr>(S))
    S = &Marker.unmarked(*E);
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
  case Stmt::MemberExprClass: {
    // Who changes a number changes no string.
    auto *Member = cast<MemberExpr>(S);
    if (!Member->getType()->isScalarType() ||
        !isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
      visit(Member->getBase());
    return;
  }
  case Stmt::UnaryOperatorClass:
    if (cast<UnaryOperator>(S)->getOpcode() == UO_AddrOf)
      return changeAll(S);
    return visitChildren(*S);
  case Stmt::LambdaExprClass:
    return visitLambda(*cast<LambdaExpr>(S));
  case Stmt::CXXForRangeStmtClass:
    return visitLoop(*cast<CXXForRangeStmt>(S));
  case Stmt::ReturnStmtClass:
    return visitHandedOn(cast<ReturnStmt>(S)->getRetValue());
  case Stmt::CXXThrowExprClass:
    return visitHandedOn(cast<CXXThrowExpr>(S)->getSubExpr());
  case Stmt::CXXMemberCallExprClass:
    return visitMemberCall(*cast<CXXMemberCallExpr>(S));
  case Stmt::CXXOperatorCallExprClass:
    return visitOperator(*cast<CXXOperatorCallExpr>(S));
  case Stmt::CallExprClass:
    return visitCall(*cast<CallExpr>(S));
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    Calls.push_back(cast<Expr>(S));
    return visitChildren(*S);
  case Stmt::DeclStmtClass:
    for (const Decl *D : cast<DeclStmt>(S)->decls())
      if (auto *V = dyn_cast<VarDecl>(D); V && V->hasInit())
        Declared.push_back(V);
    return visitChildren(*S);
  default:
    if (auto *Cast = dyn_cast<CastExpr>(S))
      return visitCast(*Cast);
    return visitChildren(*S);
  }
}

} // namespace inmem
