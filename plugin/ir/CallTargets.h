//===- CallTargets.h - targets of a call ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_CALLTARGETS_H
#define INMEM_PLUGIN_IR_CALLTARGETS_H

#include "llvm/IR/InstrTypes.h"

namespace inmem {

/// Facts about a call that need no look into its callee.
struct CallTarget {
  /// A function of this module whose body decides whether it allocates, or
  /// null.
  const llvm::Function *Body = nullptr;
  /// If there is no Body: whether the call may return a block that it made.
  bool MayAllocate = false;
};

/// Unknown functions may allocate. Functions of the C library that work on what
/// they are given do not, nor does what frees, or never returns.
CallTarget targetOf(const llvm::CallBase &Call);

/// True if \p Call is inline assembly that may call functions. Labels
/// (LabelCalls.cpp) are none.
bool mayCallByAssembly(const llvm::CallBase &Call);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_CALLTARGETS_H
