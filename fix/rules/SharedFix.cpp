//===- SharedFix.cpp - shared-ptr-new -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/ToolingCompat.h"
#include "fix/code/Unit.h"
#include "fix/rules/FixRules.h"

using namespace clang;

namespace inmem::fix {

namespace {

/// Looks for std::weak_ptr of a class in user-written code.
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

/// The obstacle to turning `new T(…)` into make_shared<T>(…); empty if there is
/// none.
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

/// The only argument if it is a new-expression, otherwise null.
const CXXNewExpr *onlyNew(llvm::ArrayRef<const Expr *> Arguments) {
  const Expr *First = nullptr;
  for (const Expr *Argument : Arguments)
    if (!isa<CXXDefaultArgExpr>(Argument)) {
      if (First)
        return nullptr; // has a deleter too
      First = Argument;
    }
  return First ? dyn_cast<CXXNewExpr>(First->IgnoreParenImpCasts()) : nullptr;
}

std::string madeText(const Spot &S, const CXXNewExpr &New) {
  // `new (T)`, and the deduced type of `new auto(x)`.
  TypeLoc Written = New.getAllocatedTypeSourceInfo()->getTypeLoc();
  const std::string Type =
      Written.getType()->getContainedDeducedType()
          ? New.getAllocatedType().getAsString(S.Context.getPrintingPolicy())
          : textOf(S, Written.getSourceRange());
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

/// True if the value of \p Node is discarded: it is a statement.
bool isStatement(const Spot &S, const Stmt &Node) {
  const Stmt *Of = &Node;
  const Stmt *Around = parentOf(S, *Of);
  while (Around && isa<ExprWithCleanups>(Around)) {
    Of = Around;
    Around = parentOf(S, *Of);
  }
  if (!Around)
    return false;
  if (const auto *If = dyn_cast<IfStmt>(Around))
    return If->getThen() == Of || If->getElse() == Of;
  if (const auto *For = dyn_cast<ForStmt>(Around))
    return For->getBody() == Of;
  if (const auto *While = dyn_cast<WhileStmt>(Around))
    return While->getBody() == Of;
  if (const auto *For = dyn_cast<CXXForRangeStmt>(Around))
    return For->getBody() == Of;
  return isa<CompoundStmt, CaseStmt, DefaultStmt, LabelStmt, DoStmt>(Around);
}

/// An edit that replaces Whole by Before and a make_shared for New.
struct Rewritten {
  const CXXNewExpr *New = nullptr;
  SourceRange Whole;
  std::string Before;
};

/// Rewrites `P.reset(new T)` and `Q->reset(new T)`.
std::optional<Rewritten> rewriteReset(const Spot &S, const MemberUse &Use,
                                      std::string &Why) {
  const QualType Of = Use.Arrow ? Use.Object->getType()->getPointeeType()
                                : Use.Object->getType();
  if (Use.Name != "reset" || !isStd(Of, {"shared_ptr"}))
    return std::nullopt;
  Rewritten Out{onlyNew(Use.Arguments), Use.Call->getSourceRange(),
                (Use.Arrow ? "*" : "") +
                    textOf(S, Use.Object->getSourceRange()) + " = "};
  if (!Out.New)
    return std::nullopt;
  if (Use.Arrow && !isPure(Use.Object))
    Why = "the reset() is called on the result of a call";
  else if (!isStatement(S, *Use.Call))
    Why = "the reset() is part of a larger expression or statement";
  return Out;
}

/// Rewrites a shared_ptr constructed from a new-expression. make_shared may
/// replace the pointer anywhere: in parentheses, braces, or a cast. In two
/// cases the result is shorter.
std::optional<Rewritten> rewriteMade(const Spot &S,
                                     const CXXConstructExpr &Made) {
  if (!isStd(Made.getType(), {"shared_ptr"}))
    return std::nullopt;
  Rewritten Out;
  Out.New = onlyNew({Made.getArgs(), Made.getArgs() + Made.getNumArgs()});
  if (!Out.New)
    return std::nullopt;
  const bool SameType = S.Context.hasSameUnqualifiedType(
      elementOf(Made.getType()), Out.New->getAllocatedType());
  const VarDecl *V = initialisedBy(S, Made);
  const SourceRange Parens = Made.getParenOrBraceRange();
  const auto *Cast = dyn_cast_or_null<CXXFunctionalCastExpr>(parentOf(S, Made));
  if (V && !isa<ParmVarDecl>(V) && !V->isInitCapture() && Parens.isValid()) {
    Out.Whole = Parens;
    Out.Before = " = ";
  } else if (Cast && SameType) {
    Out.Whole = Cast->getSourceRange();
  } else {
    Out.Whole = Out.New->getSourceRange();
  }
  return Out;
}

/// Rewrites one construction or reset; nullopt if \p Node is neither.
std::optional<Proposal> rewrite(const Spot &S, const Stmt &Node) {
  std::string Why;
  std::optional<Rewritten> Edit;
  if (const auto Use = memberUse(Node))
    Edit = rewriteReset(S, *Use, Why);
  else if (const auto *Made = dyn_cast<CXXConstructExpr>(&Node))
    Edit = rewriteMade(S, *Made);
  if (!Edit)
    return std::nullopt;
  if (Why.empty())
    Why = obstacle(S, *Edit->New);
  if (!Why.empty())
    return refuse(std::move(Why));
  Editor E(S);
  E.replace(Edit->Whole, Edit->Before + madeText(S, *Edit->New));
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
