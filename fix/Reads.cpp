//===- Reads.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reads.h"

#include "Compat.h"
#include "Visitor.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

/// Whether a use of an object, or of a member of it, reads.
static bool reads(const Spot &S, const Expr &Reference) {
  const Stmt *Node = &Reference;
  bool Converted = false;
  while (const Stmt *P = parentOf(S, *Node)) {
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(P)) {
      if (Cast->getCastKind() == CK_LValueToRValue)
        return true;
      Converted |= Cast->getType().isConstQualified();
      Node = P;
      continue;
    }
    if (isa<ParenExpr>(P)) {
      Node = P;
      continue;
    }
    if (const auto *M = dyn_cast<MemberExpr>(P)) {
      if (isa<FieldDecl>(M->getMemberDecl()) && !M->isArrow()) {
        Node = P;
        continue;
      }
      const Stmt *Call = parentOf(S, *M);
      const auto U = Call ? memberUse(*Call) : std::nullopt;
      if (!U)
        return false;
      if (U->IsConst)
        return true;
      if (U->Name != "at" && U->Name != "front" && U->Name != "back")
        return false;
      Node = Call;
      continue;
    }
    if (const auto U = memberUse(*P)) {
      const bool IsObject = U->Object->IgnoreParenImpCasts() ==
                            cast<Expr>(Node)->IgnoreParenImpCasts();
      if (!IsObject)
        return Converted;
      if (U->IsConst)
        return true;
      if (U->Name != "operator[]")
        return false;
      Node = P;
      continue;
    }
    if (isa<CallExpr>(P))
      return Converted || cast<Expr>(Node)->getType().isConstQualified();
    if (const auto *Made = dyn_cast<CXXConstructExpr>(P))
      return Made->getConstructor()->isCopyConstructor() || Converted;
    return false;
  }
  return false;
}

bool isOnlyRead(const Spot &S, const VarDecl &V, const Stmt *Root) {
  bool InLambda = false;
  walk(Root, [&](const Stmt &Node) {
    if (const auto *L = dyn_cast<LambdaExpr>(&Node))
      InLambda |= !usesOf(V, L).empty();
    return true;
  });
  return !InLambda &&
         llvm::all_of(usesOf(V, Root),
                      [&](const DeclRefExpr *Ref) { return reads(S, *Ref); });
}

/// Whether an lvalue is, or is part of, a local variable that owns it.
static bool isOwn(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenImpCasts();
    if (const auto *M = dyn_cast<MemberExpr>(E); M && !M->isArrow()) {
      E = M->getBase();
    } else if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      if (!A->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        return false;
      E = A->getBase();
    } else if (const auto U = memberUse(*E);
               U && U->Name == "operator[]" && !U->Arrow) {
      E = U->Object;
    } else {
      break;
    }
  }
  const VarDecl *V = variableOf(E);
  return V && V->hasLocalStorage() && !V->getType()->isReferenceType();
}

bool isQuiet(const Spot &S, const Stmt *Root) {
  bool Quiet = true;
  const auto IsLibrary = [&](const Decl &D) {
    return S.SM.isInSystemHeader(S.SM.getExpansionLoc(D.getLocation()));
  };
  walk(Root, [&](const Stmt &Node) {
    if (isa<CXXThrowExpr, CXXDeleteExpr, AsmStmt, LambdaExpr,
            CoroutineSuspendExpr>(Node))
      Quiet = false;
    if (const auto *B = dyn_cast<BinaryOperator>(&Node))
      Quiet &= !B->isAssignmentOp() || isOwn(B->getLHS());
    if (const auto *U = dyn_cast<UnaryOperator>(&Node))
      Quiet &= !U->isIncrementDecrementOp() || isOwn(U->getSubExpr());
    if (const auto *Made = dyn_cast<CXXConstructExpr>(&Node)) {
      const CXXConstructorDecl *C = Made->getConstructor();
      Quiet &= IsLibrary(*C) || C->isImplicit() || C->isDefaulted();
    } else if (const auto U = memberUse(Node)) {
      const auto *Call = cast<CallExpr>(U->Call);
      Quiet &=
          Call->getDirectCallee() && IsLibrary(*Call->getDirectCallee()) &&
          (U->IsConst || (!U->Arrow && isOwn(U->Object)) ||
           U->Name == "operator[]" || U->Name == "begin" || U->Name == "end");
    } else if (const auto *Call = dyn_cast<CallExpr>(&Node)) {
      const FunctionDecl *To = Call->getDirectCallee();
      Quiet &= To && (To->getBuiltinID() || IsLibrary(*To));
      // What it may write to.
      for (const Expr *Argument : Call->arguments())
        if (Quiet && Argument->isLValue() &&
            !Argument->getType().isConstQualified() &&
            Argument->getType()->isRecordType())
          Quiet &=
              isOwn(Argument) || isStd(Argument->getType(), {"basic_ostream"});
    }
    return Quiet;
  });
  return Quiet;
}

namespace {

/// Looks for uses of a function other than calls, and for functions of the
/// same name.
class FunctionUses : public Visitor {
public:
  explicit FunctionUses(const FunctionDecl &F) : F(F) {}
  unsigned References = 0, Calls = 0;
  bool Overloaded = false;

  bool visitDecl(Decl &D) override {
    const auto *Other = dyn_cast<FunctionDecl>(&D);
    Overloaded |= Other && Other->getDeclName() == F.getDeclName() &&
                  !isIt(Other) &&
                  Other->getDeclContext()->getRedeclContext() ==
                      F.getDeclContext()->getRedeclContext();
    return true;
  }
  bool visitStmt(Stmt &S) override {
    if (const auto *Reference = dyn_cast<DeclRefExpr>(&S))
      References += isIt(Reference->getDecl());
    if (const auto *Call = dyn_cast<CallExpr>(&S))
      Calls += isIt(Call->getDirectCallee());
    return true;
  }

private:
  bool isIt(const Decl *D) const {
    return D && D->getCanonicalDecl() == F.getCanonicalDecl();
  }

  const FunctionDecl &F;
};

} // namespace

bool isPrivate(const Spot &S, const FunctionDecl &F) {
  if (!compat::isInternal(F) || isa<CXXMethodDecl>(F) ||
      F.isOverloadedOperator() || F.isTemplated() || F.isVariadic())
    return false;
  FunctionUses Uses(F);
  Uses.walk(S.Context);
  return !Uses.Overloaded && Uses.References == Uses.Calls;
}

} // namespace inmem::fix
