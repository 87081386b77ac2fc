//===- CopyFix.cpp - copies -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Loops.h"
#include "fix/code/Reads.h"
#include "fix/rules/FixRules.h"

using namespace clang;

namespace inmem::fix {

namespace {

CharSourceRange typeOf(const VarDecl &V) {
  return CharSourceRange::getCharRange(V.getBeginLoc(), V.getLocation());
}

bool isCopy(const Expr *E) {
  const auto *Made =
      E ? dyn_cast<CXXConstructExpr>(E->IgnoreImplicit()) : nullptr;
  return Made && Made->getConstructor()->isCopyConstructor() &&
         Made->getNumArgs() > 0 && Made->getArg(0)->isLValue();
}

/// Handles `for (T x : xs)` if x is only read.
std::optional<Proposal> loopVariable(const Spot &S) {
  for (const auto *Loop : S.all<CXXForRangeStmt>()) {
    const VarDecl *V = Loop->getLoopVariable();
    if (lineOf(S, Loop->getColonLoc()) != S.F.Line || !isCopy(V->getInit()))
      continue;
    const VarDecl *Range = variableOf(Loop->getRangeInit());
    if (!Range || !isOnlyRead(S, *Range, Loop->getBody()) ||
        !isQuiet(S, Loop->getBody()))
      return refuse("the loop may change what it runs over");
    if (!isOnlyRead(S, *V, Loop->getBody()))
      return refuse(V->getNameAsString() + " may be changed, or moved from");
    Editor E(S);
    E.replace(typeOf(*V), referenceTo(S, *V));
    return E.done(V->getNameAsString() + " as a const reference");
  }
  return std::nullopt;
}

/// Handles a by-value parameter that its function only reads.
Proposal parameter(const Spot &S, const ParmVarDecl &P) {
  const auto *F = dyn_cast<FunctionDecl>(P.getDeclContext());
  const FunctionDecl *Defined = nullptr;
  if (!F || !F->isDefined(Defined))
    return refuse("the function is of another unit");
  const unsigned Index = P.getFunctionScopeIndex();
  const Callee C = calleeOf(S, *Defined, Index);
  if (!C.Why.empty())
    return refuse(C.Why);
  const ParmVarDecl &Own = *Defined->getParamDecl(Index);
  if (!isOnlyRead(S, Own, Defined->getBody()))
    return refuse(Own.getNameAsString() + " may be changed, or moved from");
  if (!isQuiet(S, Defined->getBody()))
    return refuse("the function may change the object that it is given");
  Editor E(S);
  if (std::string Why = declareAs(S, *Defined, Index, "", E); !Why.empty())
    return refuse(Why);
  return E.done(Own.getNameAsString() + " as a const reference" +
                otherCallers(S, *Defined, C));
}

/// True if a use of a local object does not leave a pointer or reference to it
/// behind.
bool leavesNothing(const Spot &S, const DeclRefExpr &Ref) {
  const Expr *Object = &Ref;
  for (const Stmt *P = parentOf(S, *Object); P; P = parentOf(S, *P)) {
    const auto *M = dyn_cast<MemberExpr>(P);
    if (!M || M->isArrow() || !isa<FieldDecl>(M->getMemberDecl()))
      break;
    Object = M;
  }
  const auto U = memberUseOf(S, *Object);
  if (!U)
    return false;
  const Stmt *P = parentOf(S, *U->Call);
  while (P && isa<ImplicitCastExpr, ExprWithCleanups>(P))
    P = parentOf(S, *P);
  const QualType Type = U->Call->getType();
  return (P && isa<CompoundStmt>(P)) || Type->isArithmeticType();
}

/// The reason why a local object cannot be moved from at \p Given, part of \p
/// Whole; empty if it can. Uses in \p Before are evaluated earlier.
std::string whyNotMoved(const Spot &S, const VarDecl &V, const Expr &Given,
                        const Stmt &Whole, const Expr *Before) {
  if (const CXXRecordDecl *Class = V.getType()->getAsCXXRecordDecl();
      !Class || !Class->hasDefinition() ||
      !(Class->hasSimpleMoveConstructor() ||
        Class->hasUserDeclaredMoveConstructor()))
    return "the class has no move constructor";
  for (const DeclRefExpr *Ref : usesOf(V, S.Function->getBody())) {
    if (Ref == &Given)
      continue;
    if (!(Before && isWithin(S, *Ref, *Before)) &&
        !S.SM.isBeforeInTranslationUnit(Ref->getLocation(),
                                        Whole.getBeginLoc()))
      return V.getNameAsString() + " is used afterwards";
    if (!leavesNothing(S, *Ref))
      return "something else may refer to " + V.getNameAsString();
  }
  bool Jumps = false;
  walk(S.Function->getBody(), [&](const Stmt &One) {
    Jumps |= isa<GotoStmt, LabelStmt, CXXTryStmt>(One);
    return !Jumps;
  });
  return Jumps ? "the function has a goto, or handles exceptions" : "";
}

/// The local object that \p E names, if it may be moved from; otherwise null.
const VarDecl *ownObject(const Spot &S, const Expr &E) {
  const VarDecl *V = variableOf(&E);
  return V && E.isLValue() && V->hasLocalStorage() &&
                 !V->getType()->isReferenceType() &&
                 !V->getType().isConstQualified() &&
                 V->getDeclContext() == S.Function
             ? V
             : nullptr;
}

void move(const Spot &S, const Expr &Given, Editor &E) {
  E.replace(Given.getSourceRange(),
            "std::move(" + textOf(S, Given.getSourceRange()) + ")");
  E.addInclude("utility");
}

/// Replaces \p Given, a local variable that \p Call copies, by std::move of it;
/// nullopt if \p Given is not such a variable.
std::optional<Proposal> moveInto(const Spot &S, const Expr &Call,
                                 const Expr &Argument) {
  const VarDecl *V = ownObject(S, Argument);
  if (!V)
    return std::nullopt;
  const Expr *Given = Argument.IgnoreParenImpCasts();
  // In a loop, the next iteration would find the object moved from.
  if (outermostLoop(S, Call, *V))
    return refuse(V->getNameAsString() + " is used again in the next round");
  // Parts of an expression may be evaluated in any order.
  const Stmt *Whole = &Call;
  for (const Stmt *P = parentOf(S, Call); P && isa<Expr>(P);
       P = parentOf(S, *P))
    Whole = P;
  if (std::string Why = whyNotMoved(S, *V, *Given, *Whole, nullptr);
      !Why.empty())
    return refuse(Why);
  Editor E(S);
  move(S, *Given, E);
  return E.done("std::move of " + V->getNameAsString() + " at its last use");
}

/// Handles `return Which ? A : B`, which copies one of two local objects.
std::optional<Proposal> returnedChoice(const Spot &S) {
  for (const auto *Return : S.all<ReturnStmt>()) {
    const Expr *Value = Return->getRetValue();
    if (!Value || !isCopy(Value))
      continue;
    const auto *Choice = dyn_cast<ConditionalOperator>(
        cast<CXXConstructExpr>(Value->IgnoreImplicit())
            ->getArg(0)
            ->IgnoreParenImpCasts());
    if (!Choice)
      continue;
    const Expr *Branches[] = {Choice->getTrueExpr()->IgnoreParenImpCasts(),
                              Choice->getFalseExpr()->IgnoreParenImpCasts()};
    const VarDecl *Own[] = {ownObject(S, *Branches[0]),
                            ownObject(S, *Branches[1])};
    if (!Own[0] || !Own[1] || Own[0] == Own[1])
      return refuse("what is returned is not one of two local objects");
    Editor E(S);
    for (unsigned I = 0; I < 2; ++I) {
      if (std::string Why =
              whyNotMoved(S, *Own[I], *Branches[I], *Return, Choice->getCond());
          !Why.empty())
        return refuse(Why);
      move(S, *Branches[I], E);
    }
    return E.done("std::move of what is returned, " +
                  Own[0]->getNameAsString() + " or " +
                  Own[1]->getNameAsString());
  }
  return std::nullopt;
}

} // namespace

std::optional<Proposal> moveAtLastUse(const Spot &S) {
  for (const Stmt *Node : S.At) {
    // `xs.push_back(x)`
    if (const auto U = memberUse(*Node);
        U &&
        (U->Name == "push_back" || U->Name == "push_front" ||
         U->Name == "insert" || U->Name == "push") &&
        U->Arguments.size() == 1)
      if (auto Moved = moveInto(S, *U->Call, *U->Arguments[0]))
        return Moved;
    // `f(x)`, where f takes its argument by value
    if (const auto *Call = dyn_cast<CallExpr>(Node))
      for (const Expr *Argument : Call->arguments())
        if (isCopy(Argument))
          if (auto Moved =
                  moveInto(S, *Call,
                           *cast<CXXConstructExpr>(Argument->IgnoreImplicit())
                                ->getArg(0)))
            return Moved;
  }
  return std::nullopt;
}

Proposal fixCopies(const Spot &S) {
  if (!S.Function)
    return refuse("the line is in no function: it has moved");
  if (auto Loop = loopVariable(S))
    return *Loop;
  if (auto Emplaced = emplaced(S, /*Copies=*/true))
    return *Emplaced;
  if (auto Returned = returnedChoice(S))
    return *Returned;
  const ParmVarDecl *Only = nullptr;
  for (const auto *Call : S.all<CallExpr>()) {
    const FunctionDecl *To = Call->getDirectCallee();
    if (!To || memberUse(*Call))
      continue;
    for (unsigned I = 0; I < std::min(Call->getNumArgs(), To->getNumParams());
         ++I)
      if (isCopy(Call->getArg(I))) {
        if (Only && Only != To->getParamDecl(I))
          return refuse("several objects are copied at the line");
        Only = To->getParamDecl(I);
      }
  }
  // Prefer a reference: it saves the copy for every caller.
  const auto Moved = moveAtLastUse(S);
  if (Only)
    if (auto ByReference = parameter(S, *Only); ByReference.ok() || !Moved)
      return ByReference;
  if (Moved)
    return *Moved;
  return refuse("the copy at the line is of a kind that stays: kept, changed, "
                "or not known to be the last use");
}

} // namespace inmem::fix
