//===- Reads.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Reads.h"

#include "fix/code/Database.h"
#include "fix/code/ToolingCompat.h"
#include "fix/code/Unit.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

/// True if a container is the range of a range-based loop that does not change
/// its elements.
static bool isReadByLoop(const Spot &S, const Stmt &Range) {
  const VarDecl *V = initialisedBy(S, Range);
  const Stmt *P = V && V->isImplicit() ? parentOf(S, Range) : nullptr;
  const Stmt *Loop = P ? parentOf(S, *P) : nullptr;
  const auto *For = dyn_cast_or_null<CXXForRangeStmt>(Loop);
  if (!For || !isStd(cast<Expr>(Range).getType(),
                     {"basic_string", "vector", "array", "deque", "list"}))
    return false;
  const QualType Each = For->getLoopVariable()->getType();
  return !Each->isReferenceType() || Each->getPointeeType().isConstQualified();
}

/// True if a use of an object, or of one of its members, only reads it.
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
        return Converted || cast<Expr>(Node)->getType().isConstQualified();
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
    return isReadByLoop(S, *Node);
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

/// True if an lvalue is a local variable, or part of an object owned by one.
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
      // Objects that the call may modify.
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

/// True if an argument is a std::move() result that a by-value parameter takes.
static bool isMoved(const Expr &Argument) {
  const auto *Made = dyn_cast<CXXConstructExpr>(Argument.IgnoreImplicit());
  return Made && Made->getConstructor()->isMoveConstructor() &&
         Made->getNumArgs() > 0 && Made->getArg(0)->isXValue() &&
         !isa<MaterializeTemporaryExpr>(Made->getArg(0)->IgnoreImpCasts());
}

/// True if other units include a function's declaration from one of the user's
/// headers, and would get the changed one.
static bool isDeclaredInHeader(const Spot &S, const FunctionDecl &F) {
  bool Header = false;
  for (const FunctionDecl *One : F.redecls()) {
    const SourceLocation Loc = S.SM.getExpansionLoc(One->getLocation());
    if (S.SM.isInSystemHeader(Loc))
      return false;
    Header |= S.SM.getFileID(Loc) != S.SM.getMainFileID();
  }
  return Header;
}

static std::string mainFileOf(const Spot &S) {
  return canonical(compat::realPath(S.SM, S.SM.getMainFileID()));
}

namespace {

/// Finds calls of a function, its other uses, and functions of the same name.
class FunctionUses : public Visitor {
public:
  explicit FunctionUses(const FunctionDecl &F) : F(F) {}
  unsigned References = 0;
  std::vector<const CallExpr *> Calls;
  bool Overloaded = false;

  bool visitDecl(Decl &D) override {
    const auto *Other = dyn_cast<FunctionDecl>(&D);
    Overloaded |= Other && Other->getDeclName() == F.getDeclName() &&
                  !isIt(Other) &&
                  Other->getDeclContext()->getRedeclContext()->Equals(
                      F.getDeclContext()->getRedeclContext());
    return true;
  }
  bool visitStmt(Stmt &S) override {
    if (const auto *Reference = dyn_cast<DeclRefExpr>(&S))
      References += isIt(Reference->getDecl());
    if (const auto *Reference = dyn_cast<MemberExpr>(&S))
      References += isIt(Reference->getMemberDecl());
    if (const auto *Call = dyn_cast<CallExpr>(&S))
      if (isIt(Call->getDirectCallee()))
        Calls.push_back(Call);
    return true;
  }

private:
  bool isIt(const Decl *D) const {
    return D && D->getCanonicalDecl() == F.getCanonicalDecl();
  }

  const FunctionDecl &F;
};

} // namespace

Callee calleeOf(const Spot &S, const FunctionDecl &F, unsigned Index) {
  Callee Out;
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (F.isTemplated() || F.isVariadic() || F.isOverloadedOperator() ||
      F.isMain() || isa<CXXConstructorDecl, CXXConversionDecl>(F)) {
    Out.Why = F.getNameAsString() + " is called in more ways than by its name";
    return Out;
  }
  if (Method && Method->isVirtual()) {
    Out.Why = F.getNameAsString() + " is virtual";
    return Out;
  }
  Out.IsKnownElsewhere = !compat::isInternal(F);
  if (F.isExternC() || (Out.IsKnownElsewhere && !isDeclaredInHeader(S, F))) {
    Out.Why = "other units may declare " + F.getNameAsString();
    return Out;
  }
  FunctionUses Uses(F);
  Uses.walk(S.Context);
  if (Uses.Overloaded || Uses.References != Uses.Calls.size())
    Out.Why = F.getNameAsString() + " is overloaded, or its address is taken";
  for (const CallExpr *Call : Uses.Calls)
    if (Index < Call->getNumArgs())
      Out.Given.push_back(Call->getArg(Index));
  for (const Expr *Argument : Out.Given)
    if (Argument->isXValue() || isMoved(*Argument))
      Out.Why = "a caller moves what it gives, and may rely on that";
  return Out;
}

std::string referenceTo(const Spot &S, const VarDecl &V) {
  const TypeSourceInfo *Written = V.getTypeSourceInfo();
  std::string Type = textOf(S, Written->getTypeLoc().getSourceRange());
  while (StringRef(Type).consume_front("const "))
    Type = Type.substr(6);
  return "const " + Type + " &";
}

std::string declareAs(const Spot &S, const FunctionDecl &F, unsigned Index,
                      StringRef Type, Editor &E) {
  for (const FunctionDecl *One : F.redecls()) {
    const ParmVarDecl &Each = *One->getParamDecl(Index);
    if (Each.hasDefaultArg())
      return "a declaration has a default for it";
    const std::string New = Type.empty() ? referenceTo(S, Each) : Type.str();
    if (Each.getIdentifier())
      E.replaceElsewhere(
          CharSourceRange::getCharRange(Each.getBeginLoc(), Each.getLocation()),
          New);
    else
      E.replaceElsewhere(CharSourceRange::getTokenRange(Each.getSourceRange()),
                         StringRef(New).rtrim());
  }
  return {};
}

std::string otherCallers(const Spot &S, const FunctionDecl &F,
                         const Callee &C) {
  if (!C.IsKnownElsewhere || !S.Units)
    return {};
  constexpr size_t kMost = 3;
  std::vector<std::string> Names =
      S.Units->unitsThatName(F.getNameAsString(), mainFileOf(S));
  if (Names.empty())
    return {};
  const size_t More = Names.size() > kMost ? Names.size() - kMost : 0;
  Names.resize(Names.size() - More);
  for (std::string &Name : Names)
    Name = llvm::sys::path::filename(Name).str();
  return "; called in " + llvm::join(Names, ", ") +
         (More ? " and " + std::to_string(More) + " more" : "") + ", too";
}

} // namespace inmem::fix
