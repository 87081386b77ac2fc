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
// Instructions that obtain the address of a block if it is not the call's
// value.

/// Loads, after \p Call, the variable that its argument \p Index points to. If
/// the call failed, the variable may be uninitialised, so the value is frozen.
llvm::Instruction *loadStoredBlock(llvm::CallBase &Call, unsigned Index);

/// Extracts, after \p Call, the address from a block and its size returned in
/// two registers. \returns null if the call returns something else
llvm::Instruction *extractFirstMember(llvm::CallBase &Call);

// CallOrders.cpp: a call's position among the calls at its location.

/// Numbers the calls of one callee at one location in a function, in the order
/// in which clang emitted them, which is source order.
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

/// Facts about a call that do not depend on its callee's body.
struct CallTarget {
  /// The function of this module whose body decides whether the call allocates;
  /// otherwise null.
  const llvm::Function *Body = nullptr;
  /// Without a Body: whether the call may return a block that it allocated.
  bool MayAllocate = false;
};

/// Unknown functions may allocate. C library functions that only access their
/// arguments do not, nor do functions that free or never return.
CallTarget targetOf(const llvm::CallBase &Call);

/// True if \p Call is inline assembly that may call functions. False for labels
/// (LabelCalls.cpp).
bool mayCallByAssembly(const llvm::CallBase &Call);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_CALLS_H
