//===- Visitor.cpp - A walk over user-written code ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Unit.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace inmem::fix {

namespace {
class Walker : public RecursiveASTVisitor<Walker> {
public:
  explicit Walker(Visitor &To) : To(To) {}
  // The base class calls these by name.
  // NOLINTBEGIN(bugprone-derived-method-shadowing-base-method)
  bool VisitDecl(Decl *D) { return To.visitDecl(*D); }
  bool VisitStmt(Stmt *S) { return To.visitStmt(*S); }
  // NOLINTEND(bugprone-derived-method-shadowing-base-method)

private:
  Visitor &To;
};
} // namespace

void Visitor::walk(ASTContext &Context) {
  Walker(*this).TraverseDecl(Context.getTranslationUnitDecl());
}

} // namespace inmem::fix
