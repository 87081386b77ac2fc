//===- Members.h - Members of a class and their declarations ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_MEMBERS_H
#define INMEM_FIX_MEMBERS_H

#include "fix/code/Source.h"

namespace inmem::fix {

/// Finds a class by name, and code that depends on the order, the size or the
/// bytes of its members.
class OrderVisitor : public Visitor {
public:
  explicit OrderVisitor(std::string Name) : Name(std::move(Name)) {}

  const clang::CXXRecordDecl *Class = nullptr;
  std::string Dependence; ///< empty: nothing depends on it

  bool visitDecl(clang::Decl &D) override;
  bool visitStmt(clang::Stmt &S) override;

private:
  bool castsBytes(const clang::ExplicitCastExpr &E) const;
  bool usesBytes(const clang::CallExpr &E) const;
  bool isIt(clang::QualType Type) const;

  std::string Name;
};

/// The text of a member's declaration, through the end of its line if only a
/// comment follows.
std::optional<clang::CharSourceRange> slotOf(const Spot &S,
                                             const clang::FieldDecl &F);
/// True if the line above is a comment or a preprocessor directive.
bool hasCommentAbove(const Spot &S, clang::SourceLocation At);

} // namespace inmem::fix

#endif // INMEM_FIX_MEMBERS_H
