//===- SizeFlow.h - sizes that integer variables hold -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tracks the local integer variables of one function while its body is walked
// in source order: the types whose sizes each variable was computed from. If a
// variable differs between branches, it is unknown where they meet.
//
// Changes are logged, so that the cost of a branch depends only on its changes.
#ifndef INMEM_PLUGIN_AST_SIZEFLOW_H
#define INMEM_PLUGIN_AST_SIZEFLOW_H

#include "ast/AllocTypeInference.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <utility>
#include <vector>

namespace inmem {

class SizeFlow {
public:
  const SizeTypes *lookup(const clang::VarDecl &Variable) const {
    return Known.lookup(&Variable).get();
  }
  /// lookup() as a function object.
  auto variables() const {
    return [this](const clang::VarDecl &Variable) { return lookup(Variable); };
  }

  void declare(const clang::VarDecl &Variable,
               const clang::ASTContext &Context);
  void assign(const clang::VarDecl &Variable, const clang::Expr &Value,
              const clang::ASTContext &Context);
  /// n += Value and similar.
  void modify(const clang::VarDecl &Variable, clang::BinaryOperatorKind By,
              const clang::Expr &Value, const clang::ASTContext &Context);
  /// From now on, the variable may be written through its address.
  void forget(const clang::VarDecl &Variable) { set(Variable, nullptr); }
  void forgetAll();
  /// Handles a variable of the enclosing function that a closure captures by
  /// copy.
  void copyFrom(const SizeFlow &Outer, const clang::VarDecl &Variable) {
    set(Variable, Outer.Known.lookup(&Variable));
  }

  /// \name Branches
  /// @{
  using Value = std::shared_ptr<const SizeTypes>; ///< null: unknown
  /// Changes made by a branch.
  using Path = std::vector<std::pair<const clang::VarDecl *, Value>>;
  using Position = size_t;

  Position position() const { return Log.size(); }
  Path since(Position Begin) const;
  /// As since(), but also restores the state at \p Begin.
  Path takeBack(Position Begin);
  /// Joins branches: one of \p Paths was taken. If there are none, this point
  /// is unreachable.
  void join(const std::vector<Path> &Paths);
  /// An assignment that may or may not have happened.
  struct Assignment {
    const clang::VarDecl *Variable;
    const clang::Expr *Value; ///< null: unknown
  };
  void mayHappen(llvm::ArrayRef<Assignment> Assigned,
                 const clang::ASTContext &Context);
  /// @}

private:
  void set(const clang::VarDecl &Variable, Value New);

  llvm::DenseMap<const clang::VarDecl *, Value> Known;
  std::vector<std::pair<const clang::VarDecl *, Value>> Log; ///< old values
};

/// The variable on the left side of an assignment, if it is a local integer.
const clang::VarDecl *localInteger(const clang::Expr &E);

/// All assignments to local integers in a statement or function, and the
/// assignments that each loop in it contains.
class AssignmentScan {
public:
  explicit AssignmentScan(const clang::Stmt &S) { scan(&S); }
  explicit AssignmentScan(const clang::FunctionDecl &F);

  bool covers(const clang::Stmt &Loop) const { return Ranges.count(&Loop); }
  llvm::ArrayRef<SizeFlow::Assignment> within(const clang::Stmt &S) const;
  llvm::ArrayRef<SizeFlow::Assignment> all() const { return Found; }

private:
  void scan(const clang::Stmt *S);

  std::vector<SizeFlow::Assignment> Found;
  llvm::DenseMap<const clang::Stmt *, std::pair<size_t, size_t>> Ranges;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_SIZEFLOW_H
