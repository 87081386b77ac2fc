//===- HoistFix.cpp - A container that a loop makes again each time -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Loops.h"
#include "fix/rules/FixRules.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

/// True if a use may let the container, or its memory, outlive the iteration,
/// or takes its memory away.
static bool lets(const Spot &S, const VarDecl &V, const DeclRefExpr &Ref) {
  static constexpr StringRef kHarmless[] = {
      "push_back",  "emplace_back", "append",    "operator+=", "operator[]",
      "at",         "size",         "length",    "empty",      "clear",
      "pop_back",   "resize",       "assign",    "reserve",    "capacity",
      "operator=",  "back",         "front",     "begin",      "end",
      "c_str",      "data",         "find",      "insert",     "erase",
      "compare",    "substr",       "rfind",     "cbegin",     "cend",
      "operator==", "starts_with",  "ends_with", "rbegin",     "rend"};
  if (const auto U = memberUseOf(S, Ref)) {
    if (!llvm::is_contained(kHarmless, U->Name))
      return true;
    // Iterators, pointers and references to elements must not escape: only
    // values may leave the expression.
    if (!llvm::is_contained(
            llvm::ArrayRef<StringRef>({"c_str", "data", "begin", "end", "back",
                                       "front", "operator[]", "at", "cbegin",
                                       "cend", "rbegin", "rend"}),
            U->Name))
      return U->Name == "operator=" && U->Arguments.size() == 1 &&
             U->Arguments[0]->isXValue();
    const Stmt *P = parentOf(S, *U->Call);
    while (P && isa<ImplicitCastExpr>(P)) {
      if (cast<ImplicitCastExpr>(P)->getCastKind() == CK_LValueToRValue &&
          !cast<Expr>(P)->getType()->isPointerType())
        return false;
      P = parentOf(S, *P);
    }
    // `x[i] = y`, and arguments of library functions.
    if (const auto *B = dyn_cast_or_null<BinaryOperator>(P))
      return !B->isAssignmentOp() || B->getRHS() == U->Call;
    if (const auto *Call = dyn_cast_or_null<CallExpr>(P)) {
      const FunctionDecl *To = Call->getDirectCallee();
      return !To || !To->isInStdNamespace() ||
             To->getReturnType()->isPointerType() ||
             To->getReturnType()->isReferenceType();
    }
    return true;
  }
  // A range-based loop over the container, or an argument that a library
  // function takes by const reference while returning a value.
  const Stmt *P = parentOf(S, Ref);
  while (P && (isa<ImplicitCastExpr>(P) || isa<ParenExpr>(P)))
    P = parentOf(S, *P);
  const auto *Call = dyn_cast_or_null<CallExpr>(P);
  const FunctionDecl *To = Call ? Call->getDirectCallee() : nullptr;
  if (!To || !To->isInStdNamespace())
    return true;
  // getline(stream, text), stream << text, text + text, …
  if (To->getNameAsString() == "getline" || To->getNameAsString() == "stoi" ||
      To->getNameAsString() == "operator==" ||
      To->getNameAsString() == "operator!=" ||
      To->getNameAsString() == "operator<<")
    return variableOf(Call->getArg(0)) == &V &&
           To->getNameAsString() == "getline";
  return true;
}

std::optional<Proposal> hoist(const Spot &S, const VarDecl &V) {
  const DeclStmt *Made = statementOf(S, V);
  const Stmt *Block = Made ? parentOf(S, *Made) : nullptr;
  const Stmt *Loop = Block ? parentOf(S, *Block) : nullptr;
  if (!Loop || !isLoop(*Loop) || bodyOf(*Loop) != Block)
    return std::nullopt;
  if (!canDeclareBefore(S, *Loop))
    return refuse("no variable can be declared before the loop");
  const Expr *Init = V.getInit() ? V.getInit()->IgnoreImplicit() : nullptr;
  const auto *Default = dyn_cast_or_null<CXXConstructExpr>(Init);
  if (!Default || !Default->getConstructor()->isDefaultConstructor() ||
      V.getType().isConstQualified() || V.isStaticLocal() ||
      !isStd(V.getType(), {"vector", "basic_string"}) ||
      !isQuietlyDestroyed(V.getType()))
    return refuse("the container does not begin empty, or its elements do "
                  "more than give memory back");
  for (const DeclRefExpr *Ref : usesOf(V, S.Function->getBody()))
    if (lets(S, V, *Ref))
      return refuse(V.getNameAsString() +
                    " may be moved from, or known elsewhere");
  // The name must not clash with another one in the wider scope.
  bool Clash = false;
  walk(S.Function->getBody(), [&](const Stmt &Node) {
    if (const auto *D = dyn_cast<DeclStmt>(&Node))
      for (const Decl *One : D->decls())
        if (const auto *N = dyn_cast<NamedDecl>(One))
          Clash |= N != &V && N->getDeclName() == V.getDeclName();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(&Node))
      Clash |= Ref->getDecl() != &V &&
               Ref->getDecl()->getDeclName() == V.getDeclName();
    if (const auto *M = dyn_cast<MemberExpr>(&Node))
      Clash |= M->isImplicitAccess() &&
               M->getMemberDecl()->getDeclName() == V.getDeclName();
    return true;
  });
  if (Clash)
    return refuse("the name " + V.getNameAsString() +
                  " means something else outside of the loop");
  Editor E(S);
  E.insertBefore(*Loop, textOf(S, Made->getSourceRange()));
  E.replace(Made->getSourceRange(), V.getNameAsString() + ".clear();");
  return E.done(V.getNameAsString() +
                " outside of the loop, emptied for each round");
}

} // namespace inmem::fix
