//===- Copies.cpp - copies ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Loops.h"
#include "Reads.h"
#include "Rules.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

namespace {

/// The text of a variable's type, without const, for a reference to it.
std::string referenceTo(const Spot &S, const VarDecl &V) {
  const TypeSourceInfo *Written = V.getTypeSourceInfo();
  std::string Type = textOf(S, Written->getTypeLoc().getSourceRange());
  while (StringRef(Type).consume_front("const "))
    Type = Type.substr(6);
  return "const " + Type + " &";
}

CharSourceRange typeOf(const VarDecl &V) {
  return CharSourceRange::getCharRange(V.getBeginLoc(), V.getLocation());
}

bool isCopy(const Expr *E) {
  const auto *Made =
      E ? dyn_cast<CXXConstructExpr>(E->IgnoreImplicit()) : nullptr;
  return Made && Made->getConstructor()->isCopyConstructor() &&
         Made->getNumArgs() > 0 && Made->getArg(0)->isLValue();
}

/// `for (T x : xs)`, where x is only read.
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

/// A parameter by value that its function only reads.
Proposal parameter(const Spot &S, const ParmVarDecl &P) {
  const auto *F = dyn_cast<FunctionDecl>(P.getDeclContext());
  const FunctionDecl *Defined = nullptr;
  if (!F || !F->isDefined(Defined) || !isPrivate(S, *Defined))
    return refuse("other units may declare the function, it is overloaded, or "
                  "its address is taken");
  const ParmVarDecl &Own = *Defined->getParamDecl(P.getFunctionScopeIndex());
  if (!isOnlyRead(S, Own, Defined->getBody()))
    return refuse(Own.getNameAsString() + " may be changed, or moved from");
  if (!isQuiet(S, Defined->getBody()))
    return refuse("the function may change the object that it is given");
  Editor E(S);
  for (const FunctionDecl *One : Defined->redecls()) {
    const ParmVarDecl &Each = *One->getParamDecl(P.getFunctionScopeIndex());
    if (!Each.getIdentifier() || Each.hasDefaultArg())
      return refuse("a declaration has no name, or a default, for it");
    E.replace(typeOf(Each), referenceTo(S, Each));
  }
  return E.done(Own.getNameAsString() + " as a const reference");
}

/// Whether a use of a local object leaves nothing behind that leads to it.
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

/// std::move of \p Given, a local variable that \p Call copies; nullopt: it is
/// something else.
std::optional<Proposal> moveInto(const Spot &S, const Expr &Call,
                                 const Expr &Argument) {
  const VarDecl *V = variableOf(&Argument);
  if (!V || !Argument.isLValue() || !V->hasLocalStorage() ||
      V->getType()->isReferenceType() || V->getType().isConstQualified() ||
      V->getDeclContext() != S.Function)
    return std::nullopt;
  const Expr *Given = Argument.IgnoreParenImpCasts();
  if (const CXXRecordDecl *Class = V->getType()->getAsCXXRecordDecl();
      !Class || !Class->hasDefinition() ||
      !(Class->hasSimpleMoveConstructor() ||
        Class->hasUserDeclaredMoveConstructor()))
    return refuse("the class has no move constructor");
  // Within a loop, the next round would find it empty.
  if (outermostLoop(S, Call, *V))
    return refuse(V->getNameAsString() + " is used again in the next round");
  // Parts of one expression may be evaluated in any order.
  const Stmt *Whole = &Call;
  for (const Stmt *P = parentOf(S, Call); P && isa<Expr>(P);
       P = parentOf(S, *P))
    Whole = P;
  for (const DeclRefExpr *Ref : usesOf(*V, S.Function->getBody())) {
    if (Ref == Given)
      continue;
    if (!S.SM.isBeforeInTranslationUnit(Ref->getLocation(),
                                        Whole->getBeginLoc()))
      return refuse(V->getNameAsString() + " is used afterwards");
    if (!leavesNothing(S, *Ref))
      return refuse("something else may refer to " + V->getNameAsString());
  }
  bool Jumps = false;
  walk(S.Function->getBody(), [&](const Stmt &One) {
    Jumps |= isa<GotoStmt, LabelStmt, CXXTryStmt>(One);
    return !Jumps;
  });
  if (Jumps)
    return refuse("the function has a goto, or handles exceptions");
  Editor E(S);
  const std::string Name = textOf(S, Given->getSourceRange());
  E.replace(Given->getSourceRange(), "std::move(" + Name + ")");
  E.addInclude("utility");
  return E.done("std::move of " + Name + " at its last use");
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
    // `f(x)`, where f takes it by value
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
  // A reference saves the copy for each caller.
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
