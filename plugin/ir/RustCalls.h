//===- RustCalls.h - Rust's allocator, and types of its blocks --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_RUSTCALLS_H
#define INMEM_PLUGIN_IR_RUSTCALLS_H

#include "ir/Pipeline.h"

namespace llvm {
class CallBase;
class GlobalVariable;
class Value;
} // namespace llvm

namespace inmem {

// RustAllocator.cpp: calls of Rust's allocator.
//
// Experimental. rustc calls __rust_alloc and its relatives for all blocks. They
// are defined at link time: by the standard library, which calls malloc, or by
// the program's #[global_allocator].

class RuntimeHooks;

/// True if \p Call calls Rust's allocator to allocate or grow a block.
bool makesRustBlock(const llvm::CallBase &Call);

/// Assigns the block of \p Call, for which makesRustBlock() is true, to \p
/// Site. If \p Slot holds the function's return address, the site allocates for
/// callers.
void recordRustBlock(llvm::CallBase &Call, RuntimeHooks &Hooks,
                     llvm::GlobalVariable *Site, llvm::Value *Slot);

/// Assigns the block that \p Call allocates, if any, to \p Site.
void retagNewest(llvm::CallBase &Call, RuntimeHooks &Hooks,
                 llvm::GlobalVariable *Site);

// RustAllocations.cpp: the callers that Rust blocks belong to.
//
// Experimental. Rust allocates through __rust_alloc, deep in its library, with
// only a size. The generic functions around it know the type.

/// True if rustc compiled \p M, with debug information.
bool isRust(const llvm::Module &M);

/// Adds core, alloc, std and their dependencies to State.Passed, including
/// inlined functions, of which only locations are left.
void passRustLibrary(const llvm::Module &M, PipelineState &State);

/// Inlines library functions that lead to an allocation, so that the chain of a
/// block's location ends in the program's code. Large functions are not
/// inlined, and more are left if \p M would grow to more than twice its size.
void inlineRustAllocators(llvm::Module &M);

/// True if \p F is the allocator that Rust calls, or part of the standard
/// library's. Its blocks belong to its caller, which has announced them. Both
/// appear among the program's functions if optimised together with it.
bool isRustAllocator(const llvm::Function &F);

/// The type of the elements that \p Call allocates: the parameter T of the
/// innermost generic library function around it. Empty if unknown.
std::string rustTypeOf(const llvm::CallBase &Call);

/// True if \p Call calls a library function that allocates by size alone on
/// behalf of a generic one, as RawVecInner does for RawVec<T>.
bool allocatesForGeneric(const llvm::CallBase &Call);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_RUSTCALLS_H
