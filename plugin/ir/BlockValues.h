//===- BlockValues.h - Blocks that a call does not return -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that get at a block where a call's value is not its address.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLUGIN_IR_BLOCKVALUES_H
#define INMEM_PLUGIN_IR_BLOCKVALUES_H

#include "llvm/IR/InstrTypes.h"

namespace inmem {

/// Loads, after \p Call, the variable whose address is its argument \p Index.
/// If the call failed, the variable may have no value: it is frozen.
llvm::Instruction *loadStoredBlock(llvm::CallBase &Call, unsigned Index);

/// Extracts, after \p Call, the address from a block and its size, returned in
/// two registers. \returns null if the call returns something else
llvm::Instruction *extractFirstMember(llvm::CallBase &Call);

} // namespace inmem

#endif
