//===- Visitor.h - A walk over what the user wrote --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_VISITOR_H
#define INMEM_FIX_VISITOR_H

namespace clang {
class ASTContext;
class Decl;
class Stmt;
} // namespace clang

namespace inmem::fix {

/// Walks a unit, parents first, without implicit code and instantiations of
/// templates. Rules derive from it: each clang::RecursiveASTVisitor of their
/// own would cost seconds of compilation.
class Visitor {
public:
  virtual ~Visitor() = default;
  void walk(clang::ASTContext &Context);
  /// \returns whether to go on
  virtual bool visitDecl(clang::Decl &) { return true; }
  virtual bool visitStmt(clang::Stmt &) { return true; }
};

} // namespace inmem::fix

#endif // INMEM_FIX_VISITOR_H
