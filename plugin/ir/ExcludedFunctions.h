//===- ExcludedFunctions.h - functions that are left alone ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The AST half names the functions that the user wants left alone. Functions
// that clang outlines from them (OpenMP regions, blocks) are excluded too,
// though their names may not show where they belong.
#ifndef INMEM_PLUGIN_IR_EXCLUDEDFUNCTIONS_H
#define INMEM_PLUGIN_IR_EXCLUDEDFUNCTIONS_H

#include "SiteTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace inmem {

class ExcludedFunctions {
public:
  explicit ExcludedFunctions(const SiteTable &Table) : Table(Table) {}

  /// To be used while functions are as clang emitted them: it follows
  /// references to outlined functions.
  bool contains(const llvm::Function &F);

private:
  const SiteTable &Table;
  llvm::DenseMap<const llvm::Function *, bool> TakenOut;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_EXCLUDEDFUNCTIONS_H
