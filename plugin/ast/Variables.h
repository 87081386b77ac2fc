//===- Variables.h - types of variables that hold memory --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_VARIABLES_H
#define INMEM_PLUGIN_AST_VARIABLES_H

#include "ast/CollectorContext.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace inmem {

class Variables {
public:
  explicit Variables(CollectorContext &C) : C(C) {}

  /// Takes a variable with static or thread storage into the table, if it is of
  /// a class, or an array of one, that may hold memory.
  void note(const clang::VarDecl &Variable);

private:
  bool mayHoldMemory(clang::QualType Type);
  std::string nameOf(const clang::VarDecl &Variable);

  CollectorContext &C;
  llvm::DenseSet<const clang::VarDecl *> Seen;
  llvm::DenseMap<const clang::RecordDecl *, bool> Holders;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_VARIABLES_H
