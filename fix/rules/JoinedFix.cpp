//===- JoinedFix.cpp - Strings put together for a call in a loop ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `f(a + b + c)` allocates a string for each call. One string outside the loop
// that is assigned and appended to keeps its buffer.
//
//===----------------------------------------------------------------------===//
#include "fix/code/Loops.h"
#include "fix/rules/FixRules.h"

#include <map>
#include <set>

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

/// An operand as arguments of assign() or append(); empty if evaluating it may
/// do more than read a variable.
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

/// The call that takes \p Joined as an argument by reference to const. Null if
/// it is used differently, or if a non-const string might select another
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

/// A string that is concatenated for a call in a loop.
struct Joining {
  const Expr *Whole = nullptr;
  const Stmt *Loop = nullptr;         ///< the outermost
  std::vector<std::string> Arguments; ///< for assign(), then for append()
};

/// \returns nullopt if the string is not such an argument, a reason if it
/// cannot be edited, and an empty string if it can.
std::optional<std::string> examine(const Spot &S, Joining &J) {
  const CallExpr *Call = callWith(S, *J.Whole);
  if (!Call || !isWritten(S, J.Whole->getSourceRange()))
    return std::nullopt;
  for (const Stmt *P = loopAround(S, *Call); P; P = loopAround(S, *P))
    J.Loop = P;
  if (!J.Loop)
    return "the string is put together once a call, in no loop";
  if (!canDeclareBefore(S, *J.Loop))
    return "no variable can be declared before the loop";
  llvm::SmallVector<const Expr *, 8> Operands;
  flatten(J.Whole, Operands);
  for (const Expr *Operand : Operands) {
    J.Arguments.push_back(argumentOf(S, *Operand));
    if (J.Arguments.back().empty())
      return "evaluating a part of the string may do more than read it";
  }
  return std::string();
}

/// Strings concatenated at the function's other lines, if each has only one.
/// Always all of them, so that findings of one function have the same edit.
std::map<unsigned, Joining> joinedAtOtherLines(const Spot &S) {
  std::map<unsigned, std::vector<const Expr *>> Found;
  walk(S.Function->getBody(), [&](const Stmt &Node) {
    if (isPlus(Node))
      Found[lineOf(S, Node.getBeginLoc())].push_back(cast<Expr>(&Node));
    return !isPlus(Node) && !isa<LambdaExpr>(Node);
  });
  std::map<unsigned, Joining> Out;
  for (const auto &[Line, Strings] : Found) {
    Joining J;
    J.Whole = Strings.front();
    if (Line != S.F.Line && Strings.size() == 1 &&
        examine(S, J) == std::string())
      Out.emplace(Line, std::move(J));
  }
  return Out;
}

} // namespace

std::optional<Proposal> joinInBuffer(const Spot &S) {
  Joining First;
  for (const Stmt *Node : S.At) {
    if (!isPlus(*Node))
      continue;
    const auto *E = cast<Expr>(Node);
    if (First.Whole && isWithin(S, *E, *First.Whole))
      continue;
    if (First.Whole)
      return refuse("several strings are put together at the line");
    First.Whole = E;
  }
  if (!First.Whole)
    return std::nullopt;
  const auto Why = examine(S, First);
  if (!Why)
    return std::nullopt;
  if (!Why->empty())
    return refuse(*Why);
  auto Joined = joinedAtOtherLines(S);
  Joined.emplace(S.F.Line, std::move(First));
  Editor E(S);
  std::string Names;
  std::map<const Stmt *, std::string> Declared;
  uint64_t All = 0, Covered = 0;
  for (const auto &[Line, Blocks] : S.F.Lines) {
    All += Blocks;
    Covered += Joined.count(Line) != 0 ? Blocks : 0;
  }
  std::set<std::string> Taken;
  for (const auto &[Line, J] : Joined) {
    std::string Name = freeName(S, "Joined");
    for (unsigned I = 2; !Taken.insert(Name).second; ++I)
      Name = freeName(S, "Joined" + std::to_string(I));
    Names += (Names.empty() ? "" : ", ") + Name;
    std::string &Variables = Declared[J.Loop];
    Variables += (Variables.empty() ? "" : ", ") + Name;
    std::string Text = Name;
    for (const std::string &Argument : J.Arguments)
      Text += (Text == Name ? ".assign(" : ".append(") + Argument + ")";
    E.replace(J.Whole->getSourceRange(), Text);
  }
  for (const auto &[Loop, Variables] : Declared)
    E.insertBefore(*Loop, "std::string " + Variables + ";");
  Proposal Out = E.done(
      "one string for what the loop puts together" +
      std::string(Joined.size() == 1 ? "" : ", at each line") + ": " + Names);
  if (All > 0)
    Out.Part = static_cast<double>(Covered) / static_cast<double>(All);
  return Out;
}

Proposal fixShortString(const Spot &S) {
  if (!S.Function || !S.Function->getBody())
    return refuse("the line is in no function: it has moved");
  if (auto Joined = joinInBuffer(S))
    return *Joined;
  return refuse("no mechanical change cures it");
}

} // namespace inmem::fix
