//===- TemporaryFix.cpp - temporary ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Loops.h"
#include "fix/rules/FixRules.h"

using namespace clang;

namespace inmem::fix {

namespace {

/// Handles `auto P = std::make_unique<T>(…)`, if P never gives up ownership of
/// its object.
std::optional<Proposal> ontoStack(const Spot &S, const VarDecl &V) {
  const DeclStmt *Made = statementOf(S, V);
  const auto *Call =
      V.getInit() ? dyn_cast<CallExpr>(V.getInit()->IgnoreImplicit()) : nullptr;
  const FunctionDecl *Maker = Call ? Call->getDirectCallee() : nullptr;
  if (!Made || !Maker || !Maker->isInStdNamespace() ||
      !Maker->getIdentifier() || Maker->getName() != "make_unique")
    return std::nullopt;
  const auto *Pointer = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      V.getType()->getAsCXXRecordDecl());
  const QualType Type =
      Pointer ? Pointer->getTemplateArgs()[0].getAsType() : QualType();
  const CXXRecordDecl *Class =
      Type.isNull() ? nullptr : Type->getAsCXXRecordDecl();
  if (!Class || !isStd(V.getType(), {"unique_ptr"}))
    return refuse("the object is not of a class");
  constexpr int64_t kMost = 1024;
  if (S.Context.getTypeSizeInChars(Type).getQuantity() > kMost)
    return refuse("the object is too large for the stack");
  if (!S.Context.getLangOpts().CPlusPlus17)
    return refuse("an object that is not copied needs C++17");
  for (const CXXMethodDecl *M : Class->methods())
    if (M->getOverloadedOperator() == OO_New ||
        M->getOverloadedOperator() == OO_Delete)
      return refuse("the class has an operator new of its own");
  const std::string Name = V.getNameAsString();
  std::vector<SourceRange> Gets;
  for (const DeclRefExpr *Ref : usesOf(V, S.Function->getBody())) {
    const auto U = memberUseOf(S, *Ref);
    if (!U || Ref->refersToEnclosingVariableOrCapture() ||
        (U->Name != "operator->" && U->Name != "operator*" && U->Name != "get"))
      return refuse(Name + " may give its object away");
    if (U->Name == "get")
      Gets.push_back(U->Call->getSourceRange());
  }
  const auto *Written =
      dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreImpCasts());
  if (!Written || Written->getNumTemplateArgs() != 1 ||
      !isWritten(S, Call->getSourceRange()))
    return refuse("its type is not written there");
  const std::string Arguments = textOf(
      S, {Written->getRAngleLoc().getLocWithOffset(1), Call->getRParenLoc()});
  const std::string Object = freeName(S, Name + "Object");
  const std::string Spelled =
      textOf(S, Written->getTemplateArgs()[0].getSourceRange());
  Editor E(S);
  E.replace(Made->getSourceRange(),
            "auto " + Object + " = " + Spelled + Arguments + ";\n" +
                indentOf(S, Made->getBeginLoc()) + "auto *const " + Name +
                " = &" + Object + ";");
  for (const SourceRange R : Gets)
    E.replace(R, Name);
  return E.done("the object of " + Name + " on the stack");
}

} // namespace

Proposal fixTemporary(const Spot &S) {
  if (!S.Function || !S.Function->getBody())
    return refuse("the line is in no function: it has moved");
  std::string Why =
      "the line allocates in a way that no rule covers: a part of "
      "an expression, or what a function returns";
  for (const auto *D : S.all<DeclStmt>()) {
    const auto *V =
        D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
    if (!V)
      continue;
    if (auto Local = ontoStack(S, *V))
      return *Local;
  }
  if (auto Moved = moveAtLastUse(S)) {
    if (Moved->ok())
      return *Moved;
    Why = Moved->Refusal;
  }
  if (auto Joined = joinInBuffer(S)) {
    if (Joined->ok())
      return *Joined;
    Why = Joined->Refusal;
  }
  if (auto Emplaced = emplaced(S, /*Copies=*/false)) {
    if (Emplaced->ok())
      return *Emplaced;
    Why = Emplaced->Refusal;
  }
  // A container that the line fills, and that is constructed in each iteration
  // of its loop.
  std::set<const VarDecl *> Filled;
  for (const Stmt *Node : S.At)
    if (const auto U = memberUse(*Node); U && !U->IsConst)
      if (const VarDecl *V = variableOf(U->Object))
        Filled.insert(V);
  for (const auto *D : S.all<DeclStmt>())
    if (const auto *V =
            D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr)
      Filled.insert(V);
  for (const VarDecl *V : Filled)
    if (V->isLocalVarDecl() && V->getDeclContext() == S.Function)
      if (auto Hoisted = hoist(S, *V)) {
        if (Hoisted->ok())
          return *Hoisted;
        Why = Hoisted->Refusal;
      }
  return refuse(Why);
}

} // namespace inmem::fix
