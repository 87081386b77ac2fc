//===- Members.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/rules/Members.h"

#include "fix/code/ToolingCompat.h"

#include "clang/Lex/Lexer.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

bool OrderVisitor::visitDecl(Decl &D) {
  if (const auto *R = dyn_cast<CXXRecordDecl>(&D);
      R && R->isThisDeclarationADefinition() && !R->isTemplated() &&
      R->getQualifiedNameAsString() == Name)
    Class = R;
  if (const auto *B = dyn_cast<DecompositionDecl>(&D);
      B && isIt(B->getType().getNonReferenceType()))
    Dependence = "a structured binding names its members by position";
  return true;
}

bool OrderVisitor::visitStmt(Stmt &S) {
  if (const auto *List = dyn_cast<InitListExpr>(&S);
      List && isIt(List->getType()) && List->getNumInits() > 0)
    Dependence = "it is initialised by position";
  if (isa<OffsetOfExpr>(S))
    Dependence = "the unit uses offsetof";
  if (const auto *Trait = dyn_cast<UnaryExprOrTypeTraitExpr>(&S);
      Trait && Trait->isArgumentType() && isIt(Trait->getArgumentType()))
    Dependence = "its size is used";
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(&S);
      Cast && castsBytes(*Cast))
    Dependence = "its bytes are read by a cast";
  if (const auto *Call = dyn_cast<CallExpr>(&S); Call && usesBytes(*Call))
    Dependence = "its bytes are copied, compared or written";
  return true;
}

bool OrderVisitor::castsBytes(const ExplicitCastExpr &E) const {
  const QualType To = E.getType(), From = E.getSubExpr()->getType();
  return E.getCastKind() == CK_BitCast && To->isPointerType() &&
         From->isPointerType() &&
         (isIt(To->getPointeeType()) || isIt(From->getPointeeType()));
}

bool OrderVisitor::usesBytes(const CallExpr &E) const {
  const FunctionDecl *To = E.getDirectCallee();
  if (!To || !To->getIdentifier())
    return false;
  const StringRef Called = To->getName();
  if (Called != "memcpy" && Called != "memcmp" && Called != "memset" &&
      Called != "fread" && Called != "fwrite" && Called != "write" &&
      Called != "read")
    return false;
  return llvm::any_of(E.arguments(), [&](const Expr *Argument) {
    const QualType Type = Argument->IgnoreParenCasts()->getType();
    return Type->isPointerType() && isIt(Type->getPointeeType());
  });
}

bool OrderVisitor::isIt(QualType Type) const {
  const CXXRecordDecl *D = Type->getAsCXXRecordDecl();
  return D && D->getQualifiedNameAsString() == Name;
}

std::optional<CharSourceRange> slotOf(const Spot &S, const FieldDecl &F) {
  const SourceLocation End = behindSemicolon(S, F.getSourceRange());
  if (!isWritten(S, F.getSourceRange()) || End.isInvalid() ||
      !isFirstOnLine(S, F.getBeginLoc()))
    return std::nullopt;
  const auto [File, Offset] = S.SM.getDecomposedLoc(End);
  const StringRef Rest = S.SM.getBufferData(File).substr(Offset);
  const StringRef Line = Rest.substr(0, Rest.find('\n'));
  const StringRef Comment = Line.ltrim();
  if (!Comment.empty() && Comment.substr(0, 2) != "//")
    return std::nullopt;
  return CharSourceRange::getCharRange(
      F.getBeginLoc(), End.getLocWithOffset(static_cast<int>(Line.size())));
}

bool hasCommentAbove(const Spot &S, SourceLocation At) {
  const auto [File, Offset] = S.SM.getDecomposedLoc(At);
  StringRef Before = S.SM.getBufferData(File).substr(0, Offset);
  Before = Before.substr(0, Before.rfind('\n'));
  const StringRef Line = Before.substr(Before.rfind('\n') + 1).trim();
  return Line.substr(0, 2) == "//" || Line.ends_with("*/") ||
         Line.substr(0, 1) == "#";
}

} // namespace inmem::fix
