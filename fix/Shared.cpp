//===- Shared.cpp - shared-ptr-new ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FixRules.h"
#include "ToolingCompat.h"
#include "Visitor.h"

using namespace clang;

namespace inmem::fix {

namespace {

/// Looks for std::weak_ptr of a class in what the user wrote.
class WeakPointers : public Visitor {
public:
  WeakPointers(const SourceManager &SM, const CXXRecordDecl &Of)
      : SM(SM), Of(Of) {}
  bool Found = false;

  bool visitDecl(Decl &D) override {
    if (const auto *V = dyn_cast<ValueDecl>(&D);
        V && !SM.isInSystemHeader(V->getLocation()))
      look(V->getType());
    return !Found;
  }
  bool visitStmt(Stmt &S) override {
    if (const auto *E = dyn_cast<Expr>(&S);
        E && !SM.isInSystemHeader(E->getExprLoc()))
      look(E->getType());
    return !Found;
  }

private:
  void look(QualType Type) {
    if (!isStd(Type, {"weak_ptr"}))
      return;
    const auto *Class = dyn_cast<ClassTemplateSpecializationDecl>(
        Type.getNonReferenceType()->getAsCXXRecordDecl());
    if (!Class)
      return;
    const CXXRecordDecl *To =
        Class->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl();
    Found |= !To || !To->hasDefinition() || To == &Of || Of.isDerivedFrom(To);
  }

  const SourceManager &SM;
  const CXXRecordDecl &Of;
};

/// The obstacle to turning `new T(…)` into make_shared<T>(…); empty: none.
std::string obstacle(const Spot &S, const CXXNewExpr &New) {
  if (New.isArray() || New.getNumPlacementArgs() > 0 || New.passAlignment())
    return "the object is an array, or is put somewhere by placement new";
  if (!New.getOperatorNew() || isa<CXXMethodDecl>(New.getOperatorNew()))
    return "the class has an operator new of its own";
  const CXXRecordDecl *Class = New.getAllocatedType()->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition())
    return "the object is not of a class";
  const CXXConstructExpr *Made = New.getConstructExpr();
  if (!Made || compat::isListInitialised(New))
    return "braces initialise the object, which make_shared cannot do";
  if (Made->getConstructor()->getAccess() != AS_public)
    return "the constructor is not public";
  for (const Expr *Argument : Made->arguments())
    if (!isa<CXXDefaultArgExpr>(Argument) && !canForward(*Argument))
      return "an argument cannot be forwarded";
  constexpr int64_t kLarge = 256;
  if (!New.hasInitializer() && Made->getConstructor()->isTrivial() &&
      S.Context.getTypeSizeInChars(New.getAllocatedType()).getQuantity() >
          kLarge)
    return "make_shared would set its many bytes to zero";
  WeakPointers Weak(S.SM, *Class);
  Weak.walk(S.Context);
  if (Weak.Found)
    return "a std::weak_ptr would keep the memory of the object";
  return {};
}

/// The only argument, as the `new` that it is; null: it is none.
const CXXNewExpr *onlyNew(llvm::ArrayRef<const Expr *> Arguments) {
  const Expr *First = nullptr;
  for (const Expr *Argument : Arguments)
    if (!isa<CXXDefaultArgExpr>(Argument)) {
      if (First)
        return nullptr; // a deleter, too
      First = Argument;
    }
  return First ? dyn_cast<CXXNewExpr>(First->IgnoreParenImpCasts()) : nullptr;
}

std::string madeText(const Spot &S, const CXXNewExpr &New) {
  const std::string Type = textOf(
      S, New.getAllocatedTypeSourceInfo()->getTypeLoc().getSourceRange());
  const SourceRange Parens = New.getDirectInitRange();
  return "std::make_shared<" + Type + ">" +
         (Parens.isValid() ? textOf(S, Parens) : "()");
}

/// The element type of a shared_ptr.
QualType elementOf(QualType Shared) {
  const auto *Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      Shared.getNonReferenceType()->getAsCXXRecordDecl());
  return Class ? Class->getTemplateArgs()[0].getAsType() : QualType();
}

/// Rewrites one construction or reset; nullopt: \p Node is neither.
std::optional<Proposal> rewrite(const Spot &S, const Stmt &Node) {
  const CXXNewExpr *New = nullptr;
  SourceRange Whole;
  std::string Before;
  if (const auto Use = memberUse(Node);
      Use && Use->Name == "reset" && !Use->Arrow &&
      isStd(Use->Object->getType(), {"shared_ptr"})) {
    New = onlyNew(Use->Arguments);
    Whole = Use->Call->getSourceRange();
    Before = textOf(S, Use->Object->getSourceRange()) + " = ";
    const Stmt *Around = parentOf(S, *Use->Call);
    while (Around && isa<ExprWithCleanups>(Around))
      Around = parentOf(S, *Around);
    if (New && !(Around && isa<CompoundStmt>(Around)))
      return refuse("the reset() is part of a larger expression or statement");
  } else if (const auto *Made = dyn_cast<CXXConstructExpr>(&Node);
             Made && isStd(Made->getType(), {"shared_ptr"})) {
    New = onlyNew({Made->getArgs(), Made->getArgs() + Made->getNumArgs()});
    Whole = Made->getSourceRange();
    if (initialisedBy(S, *Made)) {
      Whole = Made->getParenOrBraceRange();
      Before = " = ";
    } else if (const auto *Cast =
                   dyn_cast_or_null<CXXFunctionalCastExpr>(parentOf(S, Node)))
      Whole = Cast->getSourceRange();
    if (New && Before.empty() &&
        !S.Context.hasSameUnqualifiedType(elementOf(Made->getType()),
                                          New->getAllocatedType()))
      return refuse("the pointer is to a base of the object's class");
  }
  if (!New)
    return std::nullopt;
  if (std::string Why = obstacle(S, *New); !Why.empty())
    return refuse(std::move(Why));
  Editor E(S);
  E.replace(Whole, Before + madeText(S, *New));
  return E.done("make_shared puts object and control block into one");
}

} // namespace

Proposal fixSharedPtr(const Spot &S) {
  std::optional<Proposal> Found;
  for (const Stmt *Node : S.At) {
    if (auto One = rewrite(S, *Node)) {
      if (Found && Found->ok() && One->ok() && One->Edits != Found->Edits)
        return refuse("several pointers are made at the line");
      Found = std::move(One);
    }
  }
  return Found ? *Found
               : refuse("no std::shared_ptr is made of a new at the line: it "
                        "has a deleter, or the line has moved");
}

} // namespace inmem::fix
