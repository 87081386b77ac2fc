//===- StringCopyFix.cpp - string-copies ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Reads.h"
#include "fix/code/Unit.h"
#include "fix/rules/FixRules.h"

#include "clang/AST/ParentMapContext.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

namespace {

/// The lvalue that a string copies; null if it is constructed from something
/// else.
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

/// The range from the start of a variable's declaration to its name: its type.
CharSourceRange typePart(const VarDecl &V) {
  return CharSourceRange::getCharRange(V.getBeginLoc(), V.getLocation());
}

/// True if the source of a copy stays unchanged while the copy exists.
bool staysAsItIs(const Spot &S, const Expr &From, const Stmt &Scope) {
  if (!isQuiet(S, &Scope))
    return false;
  const VarDecl *Root = rootOf(&From);
  return Root && isOnlyRead(S, *Root, &Scope);
}

/// Looks for calls of a function in destructors.
class DestructorCalls : public Visitor {
public:
  DestructorCalls(const Spot &S, const FunctionDecl &F) : S(S), F(F) {}
  bool Found = false;

  bool visitStmt(Stmt &Node) override {
    const auto *Call = dyn_cast<CallExpr>(&Node);
    const Decl *To = Call ? Call->getCalleeDecl() : nullptr;
    if (To && To->getCanonicalDecl() == F.getCanonicalDecl())
      for (const DynTypedNode &P : around(DynTypedNode::create(Node)))
        Found |= P.get<CXXDestructorDecl>() != nullptr;
    return !Found;
  }

private:
  std::vector<DynTypedNode> around(const DynTypedNode &Node) const {
    std::vector<DynTypedNode> Out;
    for (auto All = S.Context.getParents(Node); !All.empty();
         All = S.Context.getParents(All[0]))
      Out.push_back(All[0]);
    return Out;
  }

  const Spot &S;
  const FunctionDecl &F;
};

/// Turns `std::string s = "…"` into a static constant; nullopt if the
/// initialiser is something else.
std::optional<Proposal> literal(const Spot &S, const VarDecl &V,
                                const Stmt &Scope) {
  const auto *Made = dyn_cast_or_null<CXXConstructExpr>(
      V.getInit() ? V.getInit()->IgnoreImplicit() : nullptr);
  if (Made && Made->getNumArgs() > 0 &&
      Made->getConstructor()->isMoveConstructor()) // before C++17
    Made = dyn_cast<CXXConstructExpr>(Made->getArg(0)->IgnoreImplicit());
  if (V.isCXXForRangeDecl() || !Made || Made->getNumArgs() == 0 ||
      !isa<StringLiteral>(Made->getArg(0)->IgnoreParenImpCasts()))
    return std::nullopt;
  for (unsigned I = 1; I < Made->getNumArgs(); ++I)
    if (!isa<CXXDefaultArgExpr>(Made->getArg(I)))
      return std::nullopt;
  const std::string Name = V.getNameAsString();
  if (V.isNRVOVariable() || V.isStaticLocal())
    return refuse(Name + " is returned, or static already");
  if (!isOnlyRead(S, V, &Scope))
    return refuse(Name + " may be changed, or moved from");
  if (S.Function->isConstexpr())
    return refuse("a constexpr function cannot have a static variable");
  // A destructor may run after the static string is destroyed.
  DestructorCalls Late(S, *S.Function);
  Late.walk(S.Context);
  if (isa<CXXDestructorDecl>(S.Function) || Late.Found)
    return refuse("a destructor may need it when the program ends");
  Editor E(S);
  E.replace(typePart(V), "static const std::string ");
  return E.done(Name + " as a static constant");
}

Proposal fixVariable(const Spot &S, const VarDecl &V) {
  const Stmt *Scope = nullptr;
  const Expr *From = nullptr;
  if (V.isCXXForRangeDecl()) {
    for (const auto *Loop : S.all<CXXForRangeStmt>())
      if (Loop->getLoopVariable() == &V) {
        Scope = Loop->getBody();
        From = Loop->getRangeInit();
        // The elements must be existing strings, not temporaries.
        if (!copiedFrom(V.getInit()))
          return refuse("the loop makes each string");
      }
  } else if (const DeclStmt *Made = statementOf(S, V)) {
    Scope = parentOf(S, *Made);
    From = copiedFrom(V.getInit());
  }
  if (Scope && !From)
    if (auto Constant = literal(S, V, *Scope))
      return *Constant;
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

/// True if every use of the string also works with a string_view.
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

/// True if an argument gives a view, or a reference, the same characters as it
/// gives a string.
bool fitsView(const Expr &Argument) {
  const Expr *Bare = Argument.IgnoreImplicit();
  // A conversion operator, for example to a string.
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(Bare);
      Call && isa_and_nonnull<CXXConversionDecl>(Call->getMethodDecl()))
    return false;
  if (const auto *Made = dyn_cast<CXXConstructExpr>(Bare);
      Made && !isa<CXXTemporaryObjectExpr>(Made))
    return !Made->isListInitialization() && Made->getNumArgs() > 0 &&
           (isCharacters(Made->getArg(0)->IgnoreImpCasts()->getType()) ||
            isCharString(Made->getArg(0)->getType()));
  return isCharString(Bare->getType()) || isCharacters(Bare->getType());
}

/// Removes explicit copies by the caller: `f(std::string(x))`.
void adaptCaller(const Spot &S, const Expr &Argument, bool View, Editor &E) {
  const auto *Cast = dyn_cast<CXXFunctionalCastExpr>(Argument.IgnoreImplicit());
  if (!Cast || Cast->isListInitialization() || !isCharString(Cast->getType()) ||
      !isWritten(S, Cast->getSourceRange()))
    return;
  const Expr *From = Cast->getSubExprAsWritten()->IgnoreParenImpCasts();
  // If the parameter becomes a reference, characters would still need a string.
  if (View ? isCharacters(From->getType())
           : isCharString(From->getType()) && From->isLValue())
    E.replace(Cast->getSourceRange(), textOf(S, From->getSourceRange()));
}

Proposal fixParameter(const Spot &S, const ParmVarDecl &P) {
  const auto *F = dyn_cast<FunctionDecl>(P.getDeclContext());
  if (!F || !F->hasBody() || F != S.Function)
    return refuse("the parameter is of another function");
  const Stmt *Body = F->getBody();
  const bool ByValue = !P.getType()->isReferenceType();
  const unsigned Index = P.getFunctionScopeIndex();
  const Callee C = calleeOf(S, *F, Index);
  if (!C.Why.empty())
    return refuse(C.Why);
  if (!isOnlyRead(S, P, Body))
    return refuse(P.getNameAsString() + " may be changed, or moved from");
  if (!isQuiet(S, Body))
    return refuse("the function may change the string that it is given");
  if (!ByValue &&
      !(P.getType()->getPointeeType().isConstQualified() && isView(S, P, Body)))
    return refuse("a std::string_view has not all that is used of it");
  if (!ByValue && !S.Context.getLangOpts().CPlusPlus17)
    return refuse("std::string_view needs C++17");
  if (!ByValue && (C.IsKnownElsewhere || !llvm::all_of(C.Given, [](auto *E) {
                     return fitsView(*E);
                   })))
    return refuse("a caller may give what a std::string_view is not made of");
  Editor E(S);
  if (std::string Why =
          declareAs(S, *F, Index, ByValue ? "" : "std::string_view ", E);
      !Why.empty())
    return refuse(Why);
  for (const Expr *Argument : C.Given)
    adaptCaller(S, *Argument, !ByValue, E);
  if (!ByValue)
    E.addInclude("string_view");
  return E.done(P.getNameAsString() +
                (ByValue ? " as a const reference" : " as a std::string_view") +
                otherCallers(S, *F, C));
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
