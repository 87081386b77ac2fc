//===- Strings.cpp - string-copies ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reads.h"
#include "Rules.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

namespace {

/// The lvalue that a string is a copy of; null: it is made of something else.
const Expr *copiedFrom(const Expr *Init) {
  if (!Init)
    return nullptr;
  const auto *Made = dyn_cast<CXXConstructExpr>(Init->IgnoreImplicit());
  if (!Made || !Made->getConstructor()->isCopyConstructor() ||
      Made->getNumArgs() == 0)
    return nullptr;
  const Expr *From = Made->getArg(0);
  return From->isLValue() && isCharString(From->getType()) ? From : nullptr;
}

/// The variable, parameter or member that a source is part of.
const VarDecl *rootOf(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenImpCasts();
    if (const auto *M = dyn_cast<MemberExpr>(E); M && !M->isArrow())
      E = M->getBase();
    else if (const auto U = memberUse(*E);
             U && !U->Arrow &&
             (U->Name == "operator[]" || U->Name == "at" ||
              U->Name == "front" || U->Name == "back"))
      E = U->Object;
    else
      return variableOf(E);
  }
}

/// From a variable's declaration to its name: the part that says its type.
CharSourceRange typePart(const VarDecl &V) {
  return CharSourceRange::getCharRange(V.getBeginLoc(), V.getLocation());
}

/// Whether what a copy was made of stays as it is while the copy is there.
bool staysAsItIs(const Spot &S, const Expr &From, const Stmt &Scope) {
  if (!isQuiet(S, &Scope))
    return false;
  const VarDecl *Root = rootOf(&From);
  return Root && isOnlyRead(S, *Root, &Scope);
}

Proposal fixVariable(const Spot &S, const VarDecl &V) {
  const Stmt *Scope = nullptr;
  const Expr *From = nullptr;
  if (V.isCXXForRangeDecl()) {
    for (const auto *Loop : S.all<CXXForRangeStmt>())
      if (Loop->getLoopVariable() == &V) {
        Scope = Loop->getBody();
        From = Loop->getRangeInit();
        // The elements must be strings that are there, not made on the way.
        if (!copiedFrom(V.getInit()))
          return refuse("the loop makes each string");
      }
  } else if (const DeclStmt *Made = statementOf(S, V)) {
    Scope = parentOf(S, *Made);
    From = copiedFrom(V.getInit());
  }
  if (!Scope || !From)
    return refuse("the variable is not a copy of a string that is there");
  if (!isOnlyRead(S, V, Scope))
    return refuse(V.getNameAsString() + " may be changed, or moved from");
  if (!staysAsItIs(S, *From, *Scope))
    return refuse("its source may change while " + V.getNameAsString() +
                  " is used");
  Editor E(S);
  E.replace(typePart(V), "const std::string &");
  return E.done(V.getNameAsString() + " as a const reference to its source");
}

/// Whether each use of a string would do with a view as well.
bool isView(const Spot &S, const ParmVarDecl &P, const Stmt *Body) {
  static constexpr StringRef kSame[] = {
      "size",  "length",      "empty",     "operator[]", "at",
      "front", "back",        "find",      "rfind",      "compare",
      "begin", "starts_with", "ends_with", "contains",   "find_first_of",
      "end",   "find_last_of"};
  for (const DeclRefExpr *Ref : usesOf(P, Body)) {
    const auto U = memberUseOf(S, *Ref);
    if (!U || !llvm::is_contained(kSame, U->Name))
      return false;
  }
  return true;
}

Proposal fixParameter(const Spot &S, const ParmVarDecl &P) {
  const auto *F = dyn_cast<FunctionDecl>(P.getDeclContext());
  if (!F || !F->hasBody() || F != S.Function)
    return refuse("the parameter is of another function");
  const Stmt *Body = F->getBody();
  if (!isPrivate(S, *F))
    return refuse("other units may declare " + F->getNameAsString() +
                  ", it is overloaded, or its address is taken");
  if (!isOnlyRead(S, P, Body))
    return refuse(P.getNameAsString() + " may be changed, or moved from");
  if (!isQuiet(S, Body))
    return refuse("the function may change the string that it is given");
  const bool ByValue = !P.getType()->isReferenceType();
  if (!ByValue &&
      !(P.getType()->getPointeeType().isConstQualified() && isView(S, P, Body)))
    return refuse("a std::string_view has not all that is used of it");
  if (!ByValue && !S.Context.getLangOpts().CPlusPlus17)
    return refuse("std::string_view needs C++17");
  Editor E(S);
  const char *Type = ByValue ? "const std::string &" : "std::string_view ";
  for (const FunctionDecl *One : F->redecls()) {
    const ParmVarDecl &Each = *One->getParamDecl(P.getFunctionScopeIndex());
    if (!Each.getIdentifier() || Each.hasDefaultArg())
      return refuse("a declaration has no name, or a default, for it");
    E.replace(typePart(Each), Type);
  }
  if (!ByValue)
    E.addInclude("string_view");
  return E.done(P.getNameAsString() +
                (ByValue ? " as a const reference" : " as a std::string_view"));
}

} // namespace

Proposal fixStringCopies(const Spot &S) {
  if (!S.Function)
    return refuse("the line is in no function: it has moved");
  const VarDecl *Found = nullptr;
  const auto Look = [&](const VarDecl *V) {
    if (!V || lineOf(S, V->getLocation()) != S.F.Line ||
        !isCharString(V->getType()))
      return;
    if (S.F.Column == 0 || !Found ||
        S.SM.getSpellingColumnNumber(V->getLocation()) == S.F.Column)
      Found = V;
  };
  for (const ParmVarDecl *P : S.Function->parameters())
    Look(P);
  for (const auto *D : S.all<DeclStmt>())
    for (const Decl *One : D->decls())
      Look(dyn_cast<VarDecl>(One));
  if (!Found)
    return refuse("no string is declared at the line: it has moved");
  if (const auto *P = dyn_cast<ParmVarDecl>(Found))
    return fixParameter(S, *P);
  return fixVariable(S, *Found);
}

} // namespace inmem::fix
