//===- CallOrders.h - which of the calls at a place one is ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_CALLORDERS_H
#define INMEM_PLUGIN_IR_CALLORDERS_H

#include "SiteTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include <map>
#include <tuple>

namespace inmem {

/// Numbers the calls of one callee at one place of a function, in the order
/// that clang emitted them in, which is that of the source.
class CallOrders {
public:
  CallOrder of(const llvm::CallBase &Call);

private:
  void number(const llvm::Function &F);

  /// Function (null: initialisers of globals), callee, line, column.
  using Key = std::tuple<const llvm::Function *, const llvm::Value *, unsigned,
                         unsigned>;
  static Key keyOf(const llvm::CallBase &Call);

  llvm::DenseMap<const llvm::CallBase *, unsigned> Numbers;
  std::map<Key, unsigned> Counts;
  llvm::DenseSet<const llvm::Function *> Numbered;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_CALLORDERS_H
