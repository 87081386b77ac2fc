//===- OwnAllocators.h - allocation functions that the unit defines -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of malloc in the unit that defines it would be inlined, or dropped
// where the optimiser sees that the function has no effect, before the late
// pass turns it into one of a hook. The early pass therefore sends it to a
// declaration, and the late pass back to the definition, by way of a hook.
#ifndef INMEM_PLUGIN_IR_OWNALLOCATORS_H
#define INMEM_PLUGIN_IR_OWNALLOCATORS_H

#include "ir/AllocationFunctions.h"
#include "llvm/IR/PassManager.h"

namespace inmem {

/// Sends calls that the late pass will instrument to declarations.
void hideOwnAllocators(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

/// The function to pass to a hook for \p Call: the definition, if the call was
/// sent to a declaration, or an allocator with a prefix. Else null.
llvm::Function *ownAllocator(const llvm::CallBase &Call);

/// Sends calls that were not instrumented back to the definition.
void revealOwnAllocators(llvm::Module &M);

/// Replaces \p Call, a musttail call, by one of a new function that makes the
/// call. \returns that call, which may get more arguments.
llvm::CallBase &callThroughJump(llvm::CallBase &Call);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_OWNALLOCATORS_H
