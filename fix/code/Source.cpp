//===- Source.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Source.h"

#include "clang/AST/ParentMapContext.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

bool isWritten(const Spot &S, SourceRange R) {
  return R.isValid() && R.getBegin().isFileID() && R.getEnd().isFileID() &&
         S.SM.getFileID(R.getBegin()) == S.File &&
         S.SM.getFileID(R.getEnd()) == S.File;
}

std::string textOf(const Spot &S, SourceRange R) {
  return Lexer::getSourceText(CharSourceRange::getTokenRange(R), S.SM,
                              S.Context.getLangOpts())
      .str();
}

std::string textBetween(const Spot &S, SourceLocation Begin,
                        SourceLocation End) {
  return Lexer::getSourceText(CharSourceRange::getCharRange(Begin, End), S.SM,
                              S.Context.getLangOpts())
      .str();
}

static StringRef lineBefore(const Spot &S, SourceLocation Loc) {
  const auto [File, Offset] = S.SM.getDecomposedLoc(S.SM.getFileLoc(Loc));
  const StringRef Before = S.SM.getBufferData(File).substr(0, Offset);
  const size_t Break = Before.rfind('\n');
  return Break == StringRef::npos ? Before : Before.substr(Break + 1);
}

std::string indentOf(const Spot &S, SourceLocation Loc) {
  const StringRef Line = lineBefore(S, Loc);
  return Line.substr(0, Line.find_first_not_of(" \t")).str();
}

bool isFirstOnLine(const Spot &S, SourceLocation Loc) {
  return lineBefore(S, Loc).trim().empty();
}

unsigned lineOf(const Spot &S, SourceLocation Loc) {
  return S.SM.getExpansionLineNumber(Loc);
}

SourceLocation behindSemicolon(const Spot &S, SourceRange R) {
  return Lexer::findLocationAfterToken(
      R.getEnd(), tok::semi, S.SM, S.Context.getLangOpts(),
      /*SkipTrailingWhitespaceAndNewLine=*/false);
}

bool isStd(QualType Type, llvm::ArrayRef<StringRef> Names) {
  if (Type.isNull())
    return false;
  const CXXRecordDecl *Class = Type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!Class || !Class->getIdentifier() || !Class->isInStdNamespace())
    return false;
  return llvm::is_contained(Names, Class->getName());
}

bool isQuietlyDestroyed(QualType Type) {
  const CXXRecordDecl *Class =
      Type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!Class || !Class->hasDefinition())
    return !Class;
  if (Class->hasTrivialDestructor())
    return true;
  const auto *Of = dyn_cast<ClassTemplateSpecializationDecl>(Class);
  if (!Of || !isStd(QualType(Type->getBaseElementTypeUnsafe(), 0),
                    {"basic_string", "vector", "deque", "list", "map", "set",
                     "unordered_map", "unordered_set", "unique_ptr"}))
    return false;
  const bool Owns = Of->getName() == "unique_ptr";
  return llvm::all_of(
      Of->getTemplateArgs().asArray(), [&](const TemplateArgument &A) {
        if (A.getKind() != TemplateArgument::Type ||
            isStd(A.getAsType(), {"allocator"}))
          return true;
        const CXXRecordDecl *To = A.getAsType()->getAsCXXRecordDecl();
        const bool MayBeDerived = Owns && To && To->hasDefinition() &&
                                  To->isPolymorphic() &&
                                  !To->isEffectivelyFinal();
        return !MayBeDerived && isQuietlyDestroyed(A.getAsType());
      });
}

bool isCharString(QualType Type) {
  return isStd(Type, {"basic_string"}) && StringRef(Type.getNonReferenceType()
                                                        .getUnqualifiedType()
                                                        .getCanonicalType()
                                                        .getAsString())
                                              .contains("basic_string<char>");
}

const Stmt *parentOf(const Spot &S, const Stmt &Node) {
  const auto Parents = S.Context.getParents(Node);
  if (Parents.empty())
    return nullptr;
  if (const Stmt *P = Parents[0].get<Stmt>())
    return P;
  // An initialiser: its parent is the declaration's statement.
  if (const auto *V = Parents[0].get<VarDecl>()) {
    const auto Above = S.Context.getParents(*V);
    return Above.empty() ? nullptr : Above[0].get<Stmt>();
  }
  return nullptr;
}

const VarDecl *initialisedBy(const Spot &S, const Stmt &Node) {
  const auto Parents = S.Context.getParents(Node);
  return Parents.empty() ? nullptr : Parents[0].get<VarDecl>();
}

bool isWithin(const Spot &S, const Stmt &Node, const Stmt &Of) {
  for (const Stmt *P = &Node; P; P = parentOf(S, *P))
    if (P == &Of)
      return true;
  return false;
}

void walk(const Stmt *Root, llvm::function_ref<bool(const Stmt &)> Visit) {
  if (!Root || !Visit(*Root))
    return;
  if (const auto *L = dyn_cast<LambdaExpr>(Root))
    return walk(L->getBody(), Visit);
  for (const Stmt *Child : Root->children())
    walk(Child, Visit);
}

std::vector<const DeclRefExpr *> usesOf(const VarDecl &V, const Stmt *Root) {
  std::vector<const DeclRefExpr *> Out;
  walk(Root, [&](const Stmt &Node) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(&Node))
      if (Ref->getDecl()->getCanonicalDecl() == V.getCanonicalDecl())
        Out.push_back(Ref);
    if (const auto *L = dyn_cast<LambdaExpr>(&Node))
      for (const Expr *Init : L->capture_inits())
        if (Init && variableOf(Init) == &V)
          if (const auto *Ref = dyn_cast<DeclRefExpr>(Init->IgnoreImpCasts()))
            Out.push_back(Ref);
    return true;
  });
  return Out;
}

const VarDecl *variableOf(const Expr *E) {
  const auto *Ref =
      E ? dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts()) : nullptr;
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return V && V->isLocalVarDeclOrParm() ? V : nullptr;
}

const DeclStmt *statementOf(const Spot &S, const VarDecl &V) {
  const auto Parents = S.Context.getParents(V);
  const auto *D = Parents.empty() ? nullptr : Parents[0].get<DeclStmt>();
  if (!D || !D->isSingleDecl())
    return nullptr;
  const Stmt *Around = parentOf(S, *D);
  return Around && isa<CompoundStmt>(Around) ? D : nullptr;
}

bool mayChange(const Spot &S, const VarDecl &V, const Stmt &Within) {
  if (V.getType().isConstQualified())
    return false;
  if (V.getType()->isReferenceType())
    return true;
  for (const DeclRefExpr *Ref : usesOf(V, &Within)) {
    const Stmt *P = parentOf(S, *Ref);
    const auto *Cast = P ? dyn_cast<ImplicitCastExpr>(P) : nullptr;
    // The value is read, or a reference to const is bound to the variable.
    if (!Cast || (Cast->getCastKind() != CK_LValueToRValue &&
                  !Cast->getType().isConstQualified()))
      return true;
  }
  return false;
}

bool isPure(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (isa<DeclRefExpr>(E) || isa<CXXThisExpr>(E))
    return true;
  if (const auto *M = dyn_cast<MemberExpr>(E))
    return !M->getType().isVolatileQualified() && isPure(M->getBase());
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return U->getOpcode() == UO_Deref && isPure(U->getSubExpr());
  return false;
}

bool canForward(const Expr &Argument) {
  const Expr *Bare = Argument.IgnoreParenImpCasts();
  if (isa<InitListExpr, CXXStdInitializerListExpr, CXXDefaultArgExpr,
          OverloadExpr>(Bare) ||
      Bare->getObjectKind() == OK_BitField)
    return false;
  // A forwarding function would get 0 and NULL as integers.
  if (Argument.getType()->isPointerType() && Bare->getType()->isIntegerType())
    return false;
  const auto *Ref = dyn_cast<DeclRefExpr>(Bare);
  if (!Ref)
    return true;
  // Forwarding cannot resolve an overload set, and binding a reference to a
  // static member needs its definition.
  const auto *Member = dyn_cast<VarDecl>(Ref->getDecl());
  return !Ref->hadMultipleCandidates() &&
         (!Member || !Member->isStaticDataMember() || Member->isInline() ||
          !Member->getType().isConstQualified() || !Member->hasInit());
}

bool isCharacters(QualType Type) {
  Type = Type.getNonReferenceType();
  const QualType Of = Type->isArrayType()
                          ? QualType(Type->getBaseElementTypeUnsafe(), 0)
                          : Type->getPointeeType();
  return !Of.isNull() && Of->isCharType();
}

bool isTaken(const Spot &S, StringRef Name) {
  return S.Context.Idents.find(Name) != S.Context.Idents.end();
}

std::string freeName(const Spot &S, const std::string &Base) {
  std::string Name = Base;
  for (int I = 2; isTaken(S, Name); ++I)
    Name = Base + std::to_string(I);
  return Name;
}

std::optional<MemberUse> memberUse(const Stmt &E) {
  MemberUse Out;
  const CXXMethodDecl *Method = nullptr;
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(&E)) {
    const auto *Member =
        dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParens());
    Method = Call->getMethodDecl();
    if (!Member || !Method)
      return std::nullopt;
    Out.Object = Member->getBase()->IgnoreParenImpCasts();
    Out.Arrow = Member->isArrow();
    for (const Expr *Argument : Call->arguments())
      if (!isa<CXXDefaultArgExpr>(Argument))
        Out.Arguments.push_back(Argument);
    Out.Call = Call;
  } else if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(&E)) {
    Method = dyn_cast_or_null<CXXMethodDecl>(Operator->getDirectCallee());
    if (!Method || Operator->getNumArgs() == 0)
      return std::nullopt;
    Out.Object = Operator->getArg(0);
    for (unsigned I = 1; I < Operator->getNumArgs(); ++I)
      Out.Arguments.push_back(Operator->getArg(I));
    Out.Call = Operator;
  } else {
    return std::nullopt;
  }
  Out.Name = Method->getNameAsString();
  Out.IsConst = Method->isConst();
  return Out;
}

std::optional<MemberUse> memberUseOf(const Spot &S, const Expr &Reference) {
  const Stmt *Node = &Reference;
  while (const Stmt *P = parentOf(S, *Node)) {
    if (isa<ImplicitCastExpr>(P) || isa<ParenExpr>(P)) {
      Node = P;
      continue;
    }
    if (const auto *M = dyn_cast<MemberExpr>(P)) {
      const Stmt *Call = parentOf(S, *M);
      while (Call && isa<ParenExpr>(Call))
        Call = parentOf(S, *Call);
      if (!Call)
        return std::nullopt;
      auto Use = memberUse(*Call);
      return Use && Use->Object->IgnoreParenImpCasts() ==
                         Reference.IgnoreParenImpCasts()
                 ? Use
                 : std::nullopt;
    }
    auto Use = memberUse(*P);
    return Use && Use->Object->IgnoreParenImpCasts() ==
                       Reference.IgnoreParenImpCasts()
               ? Use
               : std::nullopt;
  }
  return std::nullopt;
}

} // namespace inmem::fix
