//===- EmplaceFix.cpp - Elements that are made in their containers --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Reads.h"
#include "fix/rules/FixRules.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

namespace {

/// A class's constructor call `T(…)` with parentheses, and its arguments.
struct MadeByName {
  const CXXConstructExpr *Made = nullptr;
  SourceLocation Open, Close; ///< the parentheses
};

MadeByName madeByName(const Expr &E) {
  const Expr *Bare = E.IgnoreImplicit();
  if (const auto *Temporary = dyn_cast<CXXTemporaryObjectExpr>(Bare)) {
    const SourceRange Parens = Temporary->getParenOrBraceRange();
    if (!Temporary->isListInitialization())
      return {Temporary, Parens.getBegin(), Parens.getEnd()};
  } else if (const auto *Cast = dyn_cast<CXXFunctionalCastExpr>(Bare)) {
    const auto *Made =
        dyn_cast<CXXConstructExpr>(Cast->getSubExpr()->IgnoreImplicit());
    if (Made && !Cast->isListInitialization() && !Made->isListInitialization())
      return {Made, Cast->getLParenLoc(), Cast->getRParenLoc()};
  }
  return {};
}

/// The source location of the member's name in a call.
SourceLocation nameOf(const MemberUse &U) {
  const auto *Call = dyn_cast<CXXMemberCallExpr>(U.Call);
  const auto *Member =
      Call ? dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParens()) : nullptr;
  return Member && !Member->hasExplicitTemplateArgs() ? Member->getMemberLoc()
                                                      : SourceLocation();
}

/// Template argument \p I of a container's type; null if it is not a type.
QualType argumentOf(const Expr &Container, bool Arrow, unsigned I) {
  QualType Type = Container.getType();
  if (Arrow)
    Type = Type->getPointeeType();
  const auto *Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      Type.isNull() ? nullptr : Type->getAsCXXRecordDecl());
  if (!Class || Class->getTemplateArgs().size() <= I ||
      Class->getTemplateArgs()[I].getKind() != TemplateArgument::Type)
    return {};
  return Class->getTemplateArgs()[I].getAsType().getCanonicalType();
}

bool isContainer(const MemberUse &U, llvm::ArrayRef<StringRef> Names) {
  const QualType Type = U.Object->getType();
  return isStd(U.Arrow ? Type->getPointeeType() : Type, Names);
}

/// True if copying, moving or destroying a value has no visible effect.
bool isPlainValue(const Spot &S, QualType Type) {
  return !Type.isNull() && (Type.isTriviallyCopyableType(S.Context) ||
                            (isCharString(Type) && !Type->isReferenceType()));
}

bool isSame(QualType A, QualType B) {
  return A.getNonReferenceType().getCanonicalType().getUnqualifiedType() ==
         B.getCanonicalType().getUnqualifiedType();
}

/// True if an argument gives an element of type \p To the same value with or
/// without an intermediate pair.
bool fits(const Expr &Argument, QualType To) {
  const Expr *Bare = Argument.IgnoreImplicit();
  const QualType From = Bare->getType();
  if (Bare->isXValue())
    return false; // the program could notice whether it is moved from
  if (isSame(From, To))
    return true;
  if (isCharString(To))
    return isCharacters(From);
  return From->isArithmeticType() && To->isArithmeticType();
}

/// Handles `xs.push_back(T(…))`, if moving a T copies it.
std::optional<Proposal> addedTemporary(const Spot &S, const MemberUse &U) {
  const StringRef New = U.Name == "push_back"    ? "emplace_back"
                        : U.Name == "push_front" ? "emplace_front"
                        : U.Name == "push"       ? "emplace"
                                                 : "";
  if (New.empty() || U.Arguments.size() != 1 ||
      !isContainer(
          U, {"vector", "deque", "list", "forward_list", "stack", "queue"}))
    return std::nullopt;
  const MadeByName Object = madeByName(*U.Arguments[0]);
  const QualType Element = argumentOf(*U.Object, U.Arrow, 0);
  if (!Object.Made || Element.isNull() ||
      !isSame(Object.Made->getType(), Element))
    return std::nullopt;
  const CXXConstructorDecl *Constructor = Object.Made->getConstructor();
  if (Constructor->isCopyOrMoveConstructor() ||
      Constructor->getParent()->isInStdNamespace())
    return std::nullopt;
  if (Constructor->getAccess() != AS_public)
    return refuse("the constructor is not public");
  const VarDecl *Container = variableOf(U.Object);
  for (const Expr *Argument : Object.Made->arguments()) {
    if (isa<CXXDefaultArgExpr>(Argument))
      continue;
    if (!canForward(*Argument))
      return refuse("an argument cannot be forwarded");
    bool Owns = false;
    walk(Argument, [&](const Stmt &Node) {
      Owns |= isa<CXXNewExpr>(Node);
      return !Owns;
    });
    if (Owns)
      return refuse("an argument would be lost if the container cannot grow");
    if (!Container || !usesOf(*Container, Argument).empty())
      return refuse("an argument may be part of the container");
  }
  const SourceLocation Name = nameOf(U);
  if (Name.isInvalid() || !isWritten(S, U.Call->getSourceRange()))
    return refuse("the code comes from a macro, or from another file");
  Editor E(S);
  E.replace(SourceRange(Name), New);
  E.replace(U.Arguments[0]->getSourceRange(),
            textBetween(S, Object.Open.getLocWithOffset(1), Object.Close));
  return E.done("the object made in " + textOf(S, U.Object->getSourceRange()) +
                ", by " + New.str());
}

/// Handles `m.emplace(std::make_pair(k, v))`, `m.insert(…)` of such a pair, and
/// `m.emplace(k, v)` on a map that may have the key.
std::optional<Proposal> mappedPair(const Spot &S, const MemberUse &U) {
  if ((U.Name != "emplace" && U.Name != "insert") ||
      !isContainer(U, {"map", "unordered_map"}))
    return std::nullopt;
  llvm::SmallVector<const Expr *, 2> Pair(U.Arguments.begin(),
                                          U.Arguments.end());
  if (Pair.size() == 1) {
    const auto *Call = dyn_cast<CallExpr>(Pair[0]->IgnoreImplicit());
    const FunctionDecl *To = Call ? Call->getDirectCallee() : nullptr;
    const auto *Named =
        Call ? dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreImpCasts())
             : nullptr;
    if (!To || !To->isInStdNamespace() || !To->getIdentifier() ||
        To->getName() != "make_pair" || !Named ||
        Named->hasExplicitTemplateArgs() || Call->getNumArgs() != 2)
      return std::nullopt;
    Pair.assign(Call->arg_begin(), Call->arg_end());
  } else if (Pair.size() != 2 || U.Name != "emplace") {
    return std::nullopt;
  }
  if (!S.Context.getLangOpts().CPlusPlus17)
    return refuse("try_emplace needs C++17");
  const QualType Key = argumentOf(*U.Object, U.Arrow, 0);
  const QualType Value = argumentOf(*U.Object, U.Arrow, 1);
  if (!isPlainValue(S, Key) || !isPlainValue(S, Value))
    return refuse("whether an element is made for a key that is there could be "
                  "noticed");
  if (!fits(*Pair[0], Key) || !fits(*Pair[1], Value))
    return refuse("key or value is moved from, or converted");
  const SourceLocation Name = nameOf(U);
  if (Name.isInvalid() || !isWritten(S, U.Call->getSourceRange()) ||
      !isWritten(S, Pair[0]->getSourceRange()) ||
      !isWritten(S, Pair[1]->getSourceRange()))
    return refuse("the code comes from a macro, or from another file");
  Editor E(S);
  E.replace(SourceRange(Name), "try_emplace");
  if (U.Arguments.size() == 1)
    E.replace(U.Arguments[0]->getSourceRange(),
              textOf(S, {Pair[0]->getBeginLoc(), Pair[1]->getEndLoc()}));
  return E.done("no element for a key that is there, by try_emplace");
}

/// Handles `s.emplace(x)` on a set that may have the element.
std::optional<Proposal> setElement(const Spot &S, const MemberUse &U) {
  if (U.Name != "emplace" || U.Arguments.size() != 1 ||
      !isContainer(U, {"set", "unordered_set"}))
    return std::nullopt;
  const QualType Element = argumentOf(*U.Object, U.Arrow, 0);
  const Expr &Argument = *U.Arguments[0];
  if (!isPlainValue(S, Element))
    return refuse("whether an element is made that is there could be noticed");
  if (Argument.IgnoreImplicit()->isXValue() ||
      !isSame(Argument.IgnoreImplicit()->getType(), Element))
    return refuse("the element is moved from, or converted");
  const SourceLocation Name = nameOf(U);
  if (Name.isInvalid() || !isWritten(S, U.Call->getSourceRange()))
    return refuse("the code comes from a macro, or from another file");
  Editor E(S);
  E.replace(SourceRange(Name), "insert");
  return E.done("no element for one that is there, by insert");
}

} // namespace

std::optional<Proposal> emplaced(const Spot &S, bool Copies) {
  for (const Stmt *Node : S.At) {
    const auto U = memberUse(*Node);
    if (!U)
      continue;
    if (auto Added = addedTemporary(S, *U))
      return Added;
    if (Copies)
      continue;
    if (auto Mapped = mappedPair(S, *U))
      return Mapped;
    if (auto Set = setElement(S, *U))
      return Set;
  }
  return std::nullopt;
}

} // namespace inmem::fix
