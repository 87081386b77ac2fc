//===- ExcludedFunctions.h - functions that are left alone ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The AST half names the functions that the user wants left alone. What clang
// takes out of one, a region of OpenMP or a block, goes with it, though its
// name may not say whose it is.
#ifndef INMEM_PLUGIN_IR_EXCLUDEDFUNCTIONS_H
#define INMEM_PLUGIN_IR_EXCLUDEDFUNCTIONS_H

#include "SiteTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace inmem {

class ExcludedFunctions {
public:
  explicit ExcludedFunctions(const SiteTable &Table) : Table(Table) {}

  /// The functions that refer to one that was taken out must be as they were
  /// emitted.
  bool contains(const llvm::Function &F);

private:
  const SiteTable &Table;
  llvm::DenseMap<const llvm::Function *, bool> TakenOut;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_EXCLUDEDFUNCTIONS_H
