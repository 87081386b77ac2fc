//===- Joined.cpp - Strings put together for a call in a loop -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `f(a + b + c)` makes a string for each call. One string outside of the loop,
// assigned and appended to, keeps its buffer.
//
//===----------------------------------------------------------------------===//
#include "Loops.h"
#include "Rules.h"

using namespace clang;

namespace inmem::fix {

namespace {

bool isPlus(const Stmt &Node) {
  const auto *Call = dyn_cast<CXXOperatorCallExpr>(&Node);
  return Call && Call->getOperator() == OO_Plus && Call->getNumArgs() == 2 &&
         isCharString(Call->getType());
}

/// The operands of a + b + c, from left to right.
void flatten(const Expr *E, llvm::SmallVectorImpl<const Expr *> &Into) {
  const Expr *Bare = E->IgnoreImplicit()->IgnoreParenImpCasts();
  if (const auto *Bound = dyn_cast<CXXBindTemporaryExpr>(Bare))
    Bare = Bound->getSubExpr()->IgnoreParenImpCasts();
  if (!isPlus(*Bare)) {
    Into.push_back(Bare);
    return;
  }
  const auto *Call = cast<CXXOperatorCallExpr>(Bare);
  flatten(Call->getArg(0), Into);
  flatten(Call->getArg(1), Into);
}

/// An operand as arguments of assign() or append(); empty: evaluating it may do
/// more than read a variable.
std::string argumentOf(const Spot &S, const Expr &Operand) {
  if (!isWritten(S, Operand.getSourceRange()))
    return {};
  std::string Text = textOf(S, Operand.getSourceRange());
  const QualType Type = Operand.getType();
  if (isa<CharacterLiteral>(Operand))
    return "1, " + Text;
  if (isa<clang::StringLiteral>(Operand))
    return Text;
  if (!isPure(&Operand) || Type.isVolatileQualified())
    return {};
  if (Type.getUnqualifiedType() == S.Context.CharTy)
    return "1, " + Text;
  const QualType Element =
      Type->isArrayType() ? S.Context.getAsArrayType(Type)->getElementType()
                          : Type->getPointeeType();
  const bool IsText =
      !Element.isNull() && Element.getUnqualifiedType() == S.Context.CharTy;
  return IsText || isCharString(Type) ? Text : std::string();
}

/// The call that \p Joined is an argument of, by reference to const; null: it
/// is of another kind, or a string that is not const might fit another
/// overload.
const CallExpr *callWith(const Spot &S, const Expr &Joined) {
  const Stmt *Node = &Joined;
  const Stmt *P = parentOf(S, *Node);
  while (P && isa<MaterializeTemporaryExpr, CXXBindTemporaryExpr,
                  ImplicitCastExpr, ParenExpr>(P)) {
    Node = P;
    P = parentOf(S, *P);
  }
  const auto *Call = dyn_cast_or_null<CallExpr>(P);
  const FunctionDecl *To = Call ? Call->getDirectCallee() : nullptr;
  if (!To || isa<CXXOperatorCallExpr>(Call))
    return nullptr;
  const Expr *Callee = Call->getCallee()->IgnoreParenImpCasts();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Callee)) {
    if (Ref->hadMultipleCandidates())
      return nullptr;
  } else if (const auto *M = dyn_cast<MemberExpr>(Callee)) {
    if (M->hadMultipleCandidates())
      return nullptr;
  } else {
    return nullptr;
  }
  if (To->isTemplateInstantiation() && To->getPrimaryTemplate())
    return nullptr;
  for (unsigned I = 0; I < std::min(Call->getNumArgs(), To->getNumParams());
       ++I)
    if (Call->getArg(I) == Node) {
      const QualType Type = To->getParamDecl(I)->getType();
      return Type->isLValueReferenceType() &&
                     Type->getPointeeType().isConstQualified() &&
                     isCharString(Type->getPointeeType())
                 ? Call
                 : nullptr;
    }
  return nullptr;
}

} // namespace

std::optional<Proposal> joinInBuffer(const Spot &S) {
  const Expr *Joined = nullptr;
  for (const Stmt *Node : S.At) {
    if (!isPlus(*Node))
      continue;
    const auto *E = cast<Expr>(Node);
    if (Joined && isWithin(S, *E, *Joined))
      continue;
    if (Joined)
      return refuse("several strings are put together at the line");
    Joined = E;
  }
  const CallExpr *Call = Joined ? callWith(S, *Joined) : nullptr;
  if (!Call || !isWritten(S, Joined->getSourceRange()))
    return std::nullopt;
  const Stmt *Loop = nullptr;
  for (const Stmt *P = loopAround(S, *Call); P; P = loopAround(S, *P))
    Loop = P;
  if (!Loop)
    return refuse("the string is put together once a call, in no loop");
  if (!canDeclareBefore(S, *Loop))
    return refuse("no variable can be declared before the loop");
  llvm::SmallVector<const Expr *, 8> Operands;
  flatten(Joined, Operands);
  const std::string Name = freeName(S, "Joined");
  std::string Text = Name;
  for (const Expr *Operand : Operands) {
    const std::string Argument = argumentOf(S, *Operand);
    if (Argument.empty())
      return refuse("evaluating a part of the string may do more than read it");
    Text += (Text == Name ? ".assign(" : ".append(") + Argument + ")";
  }
  Editor E(S);
  E.insertBefore(*Loop, "std::string " + Name + ";");
  E.replace(Joined->getSourceRange(), Text);
  return E.done("one string for what the loop puts together, " + Name);
}

Proposal fixShortString(const Spot &S) {
  if (!S.Function || !S.Function->getBody())
    return refuse("the line is in no function: it has moved");
  if (auto Joined = joinInBuffer(S))
    return *Joined;
  return refuse("no mechanical change cures it");
}

} // namespace inmem::fix
