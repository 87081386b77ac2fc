//===- RustAllocations.h - whose the blocks of Rust are ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experimental. Rust allocates by __rust_alloc, deep in its library, with a
// size alone. The generic functions around it know the type.
#ifndef INMEM_PLUGIN_IR_RUSTALLOCATIONS_H
#define INMEM_PLUGIN_IR_RUSTALLOCATIONS_H

#include "ir/Pipeline.h"

namespace llvm {
class GlobalVariable;
} // namespace llvm

namespace inmem {

class RuntimeHooks;

/// True if rustc made \p M, with debug information.
bool isRust(const llvm::Module &M);

/// Adds core, alloc, std and what they bring to State.Passed: also functions
/// that rustc has inlined, of which only locations are left.
void passRustLibrary(const llvm::Module &M, PipelineState &State);

/// Has the library's functions that lead to an allocation inlined, if they are
/// not large: the location of the block then ends in the program's code.
void inlineRustAllocators(llvm::Module &M);

/// The type of the elements that \p Call allocates: the parameter T of the
/// innermost generic function of the library around it. Empty if unknown.
std::string rustTypeOf(const llvm::CallBase &Call);

/// True if \p Call calls a function of the library that allocates by size
/// alone for a generic one, as RawVecInner does for RawVec<T>.
bool allocatesForGeneric(const llvm::CallBase &Call);

/// True if \p Call calls the allocator of Rust for a new block.
bool makesRustBlock(const llvm::CallBase &Call);

/// Announces \p Site, which allocates for callers if \p Slot is where the
/// function's return address is, to the allocator that \p Call calls. What
/// makes no block of malloc's takes the announcement back.
void announceBlock(llvm::CallBase &Call, RuntimeHooks &Hooks,
                   llvm::GlobalVariable *Site, llvm::Value *Slot);

/// Gives the block that \p Call allocates, if it allocates one, to \p Site.
void retagNewest(llvm::CallBase &Call, RuntimeHooks &Hooks,
                 llvm::GlobalVariable *Site);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_RUSTALLOCATIONS_H
