//===- References.h - a module's references to allocation functions -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plain build's call of malloc reaches what the linker and the loader make of
// the name for that module: the program's own, one that a version script
// hides, the one that --wrap names. Code here calls a hook instead, so each
// module says in rows of struct inmem_reference what its own references
// resolve to, and brings a function that takes the hook's place if that is not
// what the hook calls (docs/abi.md).
#ifndef INMEM_PLUGIN_IR_REFERENCES_H
#define INMEM_PLUGIN_IR_REFERENCES_H

#include "ir/AllocationFunctions.h"
#include "llvm/IR/Module.h"

namespace inmem {

/// Adds the row for the hook of \p Type that replaces calls of \p Original, and
/// the function that may take its place. Idempotent. \p From: of
/// `__inmem_from_f`.
void addReference(const HookedFunction &Hooked, llvm::Function &Original,
                  llvm::FunctionType *Type, bool From);

/// Adds rows that list the instrumented allocation functions of \p M.
void addDefinitions(llvm::Module &M);

/// The hook `__inmem_by_f`, for the hook of \p Type.
llvm::FunctionCallee calleeBy(llvm::Module &M, const HookedFunction &Hooked,
                              llvm::FunctionType *Type, bool From);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_REFERENCES_H
