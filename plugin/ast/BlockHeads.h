//===- BlockHeads.h - classes at the start of blocks ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory pools allocate bytes, with a size that names no type, and store the
// members of their own class at the start.
#ifndef INMEM_PLUGIN_AST_BLOCKHEADS_H
#define INMEM_PLUGIN_AST_BLOCKHEADS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace inmem {

/// The classes that a function stores at the start of blocks. One walk handles
/// all blocks.
class BlockHeads {
public:
  explicit BlockHeads(const clang::Stmt &Body) { visit(&Body); }

  /// The class whose members the function stores where a block begins that a
  /// call gave to the local pointer variable \p Block:
  ///   m = alloc(n); h = (Head *)m; h->next = 0; m += sizeof(Head);   -> Head
  /// Null: there is none, or there are several, or the function also returns a
  /// pointer to bytes unchanged, so that its callers decide.
  clang::QualType of(const clang::VarDecl &Block) const;

private:
  /// Variables that hold blocks.
  using Blocks = llvm::SmallVector<const clang::VarDecl *, 1>;
  struct Found {
    clang::QualType Head;
    bool Returned = false, Disagree = false;
  };

  /// Visits statements in source order, regardless of branches.
  void visit(const clang::Stmt *S);
  void visitAssignment(const clang::BinaryOperator &E);
  void visitUnary(const clang::UnaryOperator &E);
  void assign(const clang::VarDecl &V, const clang::Expr &Value);
  void noteStore(const clang::Expr &Lvalue);
  void noteStoreThrough(const clang::Expr &Pointer);
  /// The blocks whose start \p Pointer points to.
  Blocks startingAt(const clang::Expr &Pointer) const;

  llvm::DenseMap<const clang::VarDecl *, Blocks> Starts; ///< by pointer
  llvm::DenseMap<const clang::VarDecl *, Found> Heads;   ///< by block
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_BLOCKHEADS_H
