//===- FieldCalls.cpp - calls that access fields --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INMEM_COMPAT_CLANG
#include "Compat.h"
#include "ast/FieldUses.h"

using namespace clang;

namespace inmem {

namespace {

/// Functions with arguments that the passes see as copies, or that end the
/// block: a cast to void * for them says nothing of the object.
bool takesAnyObject(const CallExpr &E) {
  const FunctionDecl *F = E.getDirectCallee();
  if (!F || !F->getIdentifier())
    return F && (F->getOverloadedOperator() == OO_Delete ||
                 F->getOverloadedOperator() == OO_Array_Delete);
  return llvm::is_contained(
      llvm::ArrayRef<StringRef>{"free", "realloc", "cfree", "memset", "bzero",
                                "__builtin_memset", "__builtin___memset_chk",
                                "__builtin_operator_delete",
                                "__builtin_prefetch"},
      F->getName());
}

bool copiesBytes(const CallExpr &E) {
  const FunctionDecl *F = E.getDirectCallee();
  if (!F || !F->getIdentifier() || E.getNumArgs() < 3)
    return false;
  StringRef Name = F->getName();
  Name.consume_front("__builtin_");
  Name.consume_front("__");
  Name.consume_back("_chk");
  return Name == "memcpy" || Name == "memmove" || Name == "mempcpy";
}

} // namespace

const Expr &FieldUses::unconverted(const Expr &E) {
  const Expr *Inner = &FieldPaths::plain(E);
  for (const auto *Cast = dyn_cast<CastExpr>(Inner);
       Cast && Cast->getCastKind() == CK_BitCast;
       Cast = dyn_cast<CastExpr>(Inner))
    Inner = &FieldPaths::plain(*Cast->getSubExpr());
  return *Inner;
}

bool FieldUses::isCopyRole(const FunctionDecl *F) {
  if (!F)
    return false;
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(F))
    return Constructor->isCopyOrMoveConstructor();
  const auto *Method = dyn_cast<CXXMethodDecl>(F);
  if (Method && (Method->isCopyAssignmentOperator() ||
                 Method->isMoveAssignmentOperator()))
    return true;
  return F->getIdentifier() && F->getName() == "swap";
}

void FieldUses::visitConstruct(const CXXConstructExpr &E) {
  const CXXConstructorDecl *Constructor = E.getConstructor();
  Uncounted.addCall(*Constructor);
  Uncounted.addCallOn(*Constructor, E.getType());
  for (const Expr *Argument : E.arguments())
    notePassed(Constructor, *Argument);
  if (E.getNumArgs() == 1 && Constructor->isCopyOrMoveConstructor()) {
    const Expr &From = *E.getArg(0);
    // A trivial one is a copy of bytes.
    if (Constructor->isTrivial()) {
      if (const std::optional<Path> Of = Paths.resolve(From))
        add(*Of, MemberFact::Read, E.getExprLoc());
      else if (const std::optional<Path> Whole = Paths.whole(E.getType());
               Whole && !FieldPaths::isLocal(From))
        add(*Whole, MemberFact::Read, E.getExprLoc());
      return visitBase(From);
    }
    if (const std::optional<Path> Of = Paths.resolve(From)) {
      add(*Of, MemberFact::Call, E.getExprLoc());
      return visitBase(From);
    }
  }
  visitChildren(E);
}

/// A builtin that updates the object at \p Address.
void FieldUses::visitAtomic(const Expr &E, const Expr *Address) {
  const auto *Of = dyn_cast<UnaryOperator>(Address->IgnoreParenCasts());
  if (Of && Of->getOpcode() == UO_AddrOf)
    if (const std::optional<Path> Updated = Paths.resolve(*Of->getSubExpr())) {
      add(*Updated, MemberFact::Read | MemberFact::Write, E.getExprLoc());
      add(*Updated, MemberFact::Read | MemberFact::Write, E.getBeginLoc());
      visitBase(*Of->getSubExpr());
      for (const Stmt *Child : E.children())
        if (Child != Address)
          visit(Child);
      return;
    }
  visitChildren(E);
}

void FieldUses::visitCall(const CallExpr &E) {
  if (const FunctionDecl *F = E.getDirectCallee();
      F && F->getBuiltinID() && E.getNumArgs() &&
      F->getName().starts_with("__sync_"))
    return visitAtomic(E, E.getArg(0));

  if (copiesBytes(E))
    return visitByteCopy(E);
  if (E.getDirectCallee())
    Uncounted.addCall(*E.getDirectCallee());
  for (const Expr *Argument : E.arguments())
    notePassed(E.getDirectCallee(), *Argument);

  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(E.getDirectCallee());
  const bool OnObject =
      isa<CXXMemberCallExpr>(E) ||
      (isa<CXXOperatorCallExpr>(E) && Method && Method->isInstance());
  if (FieldPaths::forwards(E))
    return visit(E.getArg(0));
  if (const FunctionDecl *F = E.getDirectCallee();
      F && F->getIdentifier() && F->getName() == "swap" &&
      F->isInStdNamespace() && !OnObject) {
    const bool Same = isSameMember(E);
    for (const Expr *Argument : E.arguments())
      if (Same)
        visitBase(*Argument);
      else
        visit(Argument);
    return;
  }
  const Expr *Object = nullptr;
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(&E))
    Object = Call->getImplicitObjectArgument();
  else if (OnObject && E.getNumArgs())
    Object = E.getArg(0);
  const bool Trivial = Method && Method->isTrivial() && OnObject &&
                       E.getNumArgs() == 2 && isCopyRole(Method);
  if (Object) {
    notePassed(Method, *Object);
    if (const std::optional<Path> Of = Paths.resolve(*Object))
      add(*Of, Trivial ? MemberFact::Write : MemberFact::Call, E.getExprLoc());
    if (Trivial)
      if (const std::optional<Path> Of = Paths.whole(Object->getType()))
        add(*Of, MemberFact::Read | MemberFact::Write, E.getExprLoc());
    const Expr &Inner = FieldPaths::plain(*Object);
    if (isa<MemberExpr, ArraySubscriptExpr>(Inner))
      visitBase(Inner);
    else
      visit(Object);
  }
  if (!OnObject || !isa<CXXOperatorCallExpr>(E))
    if (!isa<CXXMemberCallExpr>(E))
      visit(E.getCallee());
  const bool AnyObject = takesAnyObject(E);
  for (unsigned I = Object && isa<CXXOperatorCallExpr>(E); I < E.getNumArgs();
       ++I) {
    const Expr *Argument = E.getArg(I);
    const auto *Cast = dyn_cast<CastExpr>(Argument->IgnoreParens());
    if (AnyObject)
      while (Cast && Cast->getCastKind() == CK_BitCast)
        Cast =
            dyn_cast<CastExpr>((Argument = Cast->getSubExpr())->IgnoreParens());
    if (Trivial && Paths.resolve(*Argument)) {
      add(*Paths.resolve(*Argument), MemberFact::Read, E.getExprLoc());
      visitBase(*Argument);
      continue;
    }
    visit(Argument);
  }
}

bool FieldUses::isSameMember(const CallExpr &E) {
  const auto First = E.getNumArgs() == 2 ? Paths.resolve(*E.getArg(0))
                                         : std::nullopt,
             Second = First ? Paths.resolve(*E.getArg(1)) : std::nullopt;
  return Second && First->Owner == Second->Owner &&
         First->FirstBit == Second->FirstBit && First->Bits == Second->Bits;
}

void FieldUses::visitByteCopy(const CallExpr &E) {
  const Expr &To = unconverted(*E.getArg(0)), &From = unconverted(*E.getArg(1));
  const auto ClassOf = [](const Expr &Pointer) {
    const QualType Type = Pointer.getType();
    const QualType Pointee =
        Type->isPointerType() ? Type->getPointeeType() : QualType();
    return !Pointee.isNull() && Pointee->isRecordType() ? Pointee : QualType();
  };
  const QualType Class = ClassOf(From);
  // Between objects of a class it is a copy; elsewhere the bytes may be read.
  if (!Class.isNull() && (ClassOf(To).isNull() ||
                          !Context.hasSameUnqualifiedType(Class, ClassOf(To))))
    addOpaqueType(Class, E.getExprLoc());
  addFollowing(From, /*Any=*/true);
  visit(&To);
  visit(&From);
  for (unsigned I = 2; I < E.getNumArgs(); ++I)
    visit(E.getArg(I));
}

} // namespace inmem
