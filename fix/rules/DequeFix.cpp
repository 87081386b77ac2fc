//===- DequeFix.cpp - short-deque -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/rules/FixRules.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

namespace {

/// A local std::deque or std::stack that could use a vector.
struct LocalDeque {
  const VarDecl *V = nullptr;
  TemplateSpecializationTypeLoc Written;
  QualType Element;
  bool IsStack = false; ///< std::stack over a deque
};

/// True if a growing vector can move the elements without visible effects.
bool isMovable(const Spot &S, QualType Type) {
  return Type.isTriviallyCopyableType(S.Context) ||
         (isStd(Type, {"basic_string"}) && !Type->isReferenceType());
}

/// The local deque or stack that the line declares.
LocalDeque declaredAt(const Spot &S) {
  LocalDeque Out;
  for (const auto *D : S.all<DeclStmt>()) {
    const auto *V =
        D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
    if (!V || lineOf(S, V->getLocation()) != S.F.Line ||
        !isStd(V->getType(), {"stack", "deque"}))
      continue;
    const auto Written = V->getTypeSourceInfo()
                             ->getTypeLoc()
                             .getUnqualifiedLoc()
                             .getAsAdjusted<TemplateSpecializationTypeLoc>();
    const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(
        V->getType()->getAsCXXRecordDecl());
    if (!Written || Written.getNumArgs() != 1 || !Class)
      continue;
    Out = {V, Written, Class->getTemplateArgs()[0].getAsType(),
           isStd(V->getType(), {"stack"})};
  }
  return Out;
}

/// True if the expression adds elements to the variable.
bool growsIn(const Spot &S, const VarDecl &V, const Expr *E) {
  return llvm::any_of(usesOf(V, E), [&](const DeclRefExpr *Ref) {
    const auto U = memberUseOf(S, *Ref);
    const StringRef Name = U ? StringRef(U->Name) : StringRef("push");
    return Name.contains("push") || Name.contains("emplace");
  });
}

const Stmt *skipCasts(const Spot &S, const Stmt *P) {
  while (P && isa<ParenExpr, ImplicitCastExpr, ExprWithCleanups>(P))
    P = parentOf(S, *P);
  return P;
}

/// True if the reference to an element that a call returns is only read, or
/// assigned to, within its expression.
bool staysInExpression(const Spot &S, const VarDecl &V, const Expr &Call) {
  const Expr *Node = &Call;
  for (const Stmt *P = parentOf(S, Call); P; P = parentOf(S, *P)) {
    if (isa<ParenExpr>(P)) {
      Node = cast<Expr>(P);
      continue;
    }
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(P)) {
      if (Cast->getCastKind() == CK_LValueToRValue)
        return true;
      Node = Cast;
      continue;
    }
    if (const auto *M = dyn_cast<MemberExpr>(P);
        M && isa<FieldDecl>(M->getMemberDecl()) && !M->isArrow()) {
      Node = M;
      continue;
    }
    if (const auto *B = dyn_cast<BinaryOperator>(P))
      return B->isAssignmentOp() && B->getLHS() == Node &&
             !growsIn(S, V, B->getRHS());
    if (const auto *Made = dyn_cast<CXXConstructExpr>(P))
      return Made->getConstructor()->isCopyConstructor();
    const auto U = memberUse(*P);
    if (!U || U->Name != "operator=" || U->Arguments.size() != 1)
      return false;
    const auto *To = cast<CallExpr>(U->Call)->getDirectCallee();
    if (!To || !(To->isDefaulted() || To->isInStdNamespace()))
      return false;
    const bool IsTarget =
        U->Object->IgnoreParenImpCasts() == Node->IgnoreParenImpCasts();
    return !IsTarget || !growsIn(S, V, U->Arguments[0]);
  }
  return false;
}

/// True if a bool expression could also be an object that converts to bool,
/// such as an element of std::vector<bool>.
bool convertsToBool(const Spot &S, const Expr &Call) {
  const Stmt *P = parentOf(S, Call);
  if (const auto *B = dyn_cast_or_null<BinaryOperator>(P);
      B && B->getOpcode() == BO_Assign)
    return B->getLHS() == &Call;
  if (!P || !isa<ImplicitCastExpr>(P))
    return false;
  const Stmt *Node = P;
  P = skipCasts(S, P);
  if (!P)
    return false;
  if (const auto *D = dyn_cast<DeclStmt>(P)) {
    const auto *V =
        D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
    return V && V->getType()->isBooleanType() &&
           !V->getType()->getContainedAutoType();
  }
  if (const auto *B = dyn_cast<BinaryOperator>(P))
    return B->isLogicalOp();
  if (const auto *U = dyn_cast<UnaryOperator>(P))
    return U->getOpcode() == UO_LNot;
  if (const auto *If = dyn_cast<IfStmt>(P))
    return isWithin(S, *Node, *If->getCond());
  if (const auto *While = dyn_cast<WhileStmt>(P))
    return isWithin(S, *Node, *While->getCond());
  return false;
}

/// Why a use would notice that a vector holds the elements; empty if it would
/// not.
std::string objection(const Spot &S, const LocalDeque &D,
                      const DeclRefExpr &Ref) {
  static constexpr StringRef kOfStack[] = {"top", "push", "emplace",
                                           "pop", "size", "empty"};
  static constexpr StringRef kOfDeque[] = {
      "back", "front",        "operator[]", "at",    "push_back",
      "size", "emplace_back", "pop_back",   "empty", "clear"};
  const std::string Name = D.V->getNameAsString();
  const auto U = memberUseOf(S, Ref);
  if (!U || Ref.refersToEnclosingVariableOrCapture())
    return Name + " is known elsewhere, by its type or by reference";
  if (D.IsStack ? !llvm::is_contained(kOfStack, U->Name)
                : !llvm::is_contained(kOfDeque, U->Name))
    return "a vector has not what is used of " + Name + ": " + U->Name;
  const bool IsAdded = U->Name == "emplace" || U->Name == "emplace_back";
  if (U->Name == "top" || U->Name == "back" || U->Name == "front" ||
      U->Name == "operator[]" || U->Name == "at") {
    if (!staysInExpression(S, *D.V, *U->Call))
      return "an element of " + Name + " may be known when it grows";
    if (D.Element->isBooleanType() && !convertsToBool(S, *U->Call))
      return "an element of " + Name + " must be a bool";
  } else if (IsAdded) {
    const Stmt *P = skipCasts(S, parentOf(S, *U->Call));
    if (P && isa<Expr>(P))
      return "an element of " + Name + " may be known when it grows";
  }
  return {};
}

} // namespace

Proposal fixShortDeque(const Spot &S) {
  if (!S.Function || !S.Function->getBody())
    return refuse("the line is in no function: it has moved");
  const LocalDeque D = declaredAt(S);
  if (!D.V || !D.V->hasLocalStorage() || D.V->getDeclContext() != S.Function ||
      !statementOf(S, *D.V))
    return refuse("the line declares no local std::stack or std::deque whose "
                  "type is written out");
  const auto *Init = dyn_cast_or_null<CXXConstructExpr>(
      D.V->getInit() ? D.V->getInit()->IgnoreImplicit() : nullptr);
  if (!Init || !Init->getConstructor()->isDefaultConstructor())
    return refuse(D.V->getNameAsString() + " does not begin empty");
  if (!isMovable(S, D.Element))
    return refuse("its elements do more than be copied as bytes when they "
                  "move");
  if (!D.IsStack && D.Element->isBooleanType())
    return refuse("std::vector<bool> has no references to its elements");
  for (const DeclRefExpr *Ref : usesOf(*D.V, S.Function->getBody()))
    if (std::string Why = objection(S, D, *Ref); !Why.empty())
      return refuse(std::move(Why));
  const std::string Element =
      textBetween(S, D.Written.getLAngleLoc().getLocWithOffset(1),
                  D.Written.getRAngleLoc());
  Editor E(S);
  if (D.IsStack)
    E.insert(D.Written.getRAngleLoc(), ", std::vector<" + Element + ">");
  else
    E.replace(SourceRange(D.Written.getTemplateNameLoc()), "vector");
  E.addInclude("vector");
  return E.done(D.V->getNameAsString() + " over a vector, which allocates "
                                         "nothing while it is empty");
}

} // namespace inmem::fix
