//===- LocationUse.cpp - functions without anything of ours ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ast/ConstructionMarker.h"

#include "PluginOptions.h"
#include "ast/LibraryCode.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace inmem {

/// True if the user declared that \p F allocates for its callers.
static bool isChosenWrapper(const FunctionDecl &F) {
  const Options &Chosen = Options::current();
  return llvm::any_of(F.specific_attrs<AnnotateAttr>(),
                      [](const auto *A) {
                        return A->getAnnotation() == "inmem::wrapper";
                      }) ||
         (!Chosen.Wrappers.empty() &&
          Chosen.isNamedWrapper(F.getQualifiedNameAsString()));
}

/// False for calls that neither allocate nor return an object. Allocators
/// return pointers, or belong to the C library.
static bool usesLocation(const CallExpr &E, const ASTContext &Context) {
  const FunctionDecl *F = E.getDirectCallee();
  QualType Result = E.getType();
  return !F || F->getBuiltinID() || F->isExternC() ||
         F->hasAttr<AlwaysInlineAttr>() || isChosenWrapper(*F) ||
         !(Result->isVoidType() || Result->isArithmeticType()) ||
         isInLibrary(Context.getSourceManager(), F->getLocation());
}

bool usesLocation(const Stmt &S, const ASTContext &Context) {
  switch (S.getStmtClass()) {
  case Stmt::BreakStmtClass:
  case Stmt::CaseStmtClass:
  case Stmt::CompoundStmtClass:
  case Stmt::ContinueStmtClass:
  case Stmt::DefaultStmtClass:
  case Stmt::DoStmtClass:
  case Stmt::ForStmtClass:
  case Stmt::IfStmtClass:
  case Stmt::NullStmtClass:
  case Stmt::ReturnStmtClass:
  case Stmt::SwitchStmtClass:
  case Stmt::WhileStmtClass:
  case Stmt::ArraySubscriptExprClass:
  case Stmt::BinaryOperatorClass:
  case Stmt::CXXBindTemporaryExprClass:
  case Stmt::CXXBoolLiteralExprClass:
  case Stmt::CXXConstCastExprClass:
  case Stmt::CXXFunctionalCastExprClass:
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::CXXReinterpretCastExprClass:
  case Stmt::CXXStaticCastExprClass:
  case Stmt::CXXThisExprClass:
  case Stmt::CharacterLiteralClass:
  case Stmt::CompoundAssignOperatorClass:
  case Stmt::ConditionalOperatorClass:
  case Stmt::CStyleCastExprClass:
  case Stmt::DeclRefExprClass:
  case Stmt::ExprWithCleanupsClass:
  case Stmt::FloatingLiteralClass:
  case Stmt::ImplicitCastExprClass:
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::InitListExprClass:
  case Stmt::IntegerLiteralClass:
  case Stmt::MaterializeTemporaryExprClass:
  case Stmt::MemberExprClass:
  case Stmt::ParenExprClass:
  case Stmt::StringLiteralClass:
  case Stmt::UnaryOperatorClass:
    return false;
  case Stmt::DeclStmtClass:
    return llvm::any_of(cast<DeclStmt>(S).decls(), [](const Decl *D) {
      auto *Variable = dyn_cast<VarDecl>(D);
      return !Variable || !Variable->hasLocalStorage();
    });
  case Stmt::CXXConstructExprClass:
    return !cast<CXXConstructExpr>(S).getConstructor()->isTrivial();
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
    return usesLocation(cast<CallExpr>(S), Context);
  default:
    return true;
  }
}

} // namespace inmem
