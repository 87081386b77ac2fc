//===- Calls.h - facts about one call ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_CALLS_H
#define INMEM_PLUGIN_IR_CALLS_H

#include "SiteTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <map>
#include <tuple>

namespace inmem {

// BlockValues.cpp: Blocks that a call does not return.
//
// Instructions that get at a block where a call's value is not its address.

/// Loads, after \p Call, the variable that its argument \p Index points to. If
/// the call failed, the variable may have no value: it is frozen.
llvm::Instruction *loadStoredBlock(llvm::CallBase &Call, unsigned Index);

/// Extracts, after \p Call, the address from a block and its size, returned in
/// two registers. \returns null if the call returns something else
llvm::Instruction *extractFirstMember(llvm::CallBase &Call);

// CallOrders.cpp: which of the calls at a place one is.

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

// CallTargets.cpp: targets of a call.

/// Facts about a call that need no look into its callee.
struct CallTarget {
  /// A function of this module, if its body decides whether it allocates; else
  /// null.
  const llvm::Function *Body = nullptr;
  /// If there is no Body: whether the call may return a block that it made.
  bool MayAllocate = false;
};

/// Unknown functions may allocate. Functions of the C library that only work on
/// their arguments do not; neither do functions that free or never return.
CallTarget targetOf(const llvm::CallBase &Call);

/// True if \p Call is inline assembly that may call functions. False for labels
/// (LabelCalls.cpp).
bool mayCallByAssembly(const llvm::CallBase &Call);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_CALLS_H
