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

/// True if \p Call calls the allocator of Rust for a block, or to grow one.
bool makesRustBlock(const llvm::CallBase &Call);

/// Gives the block of \p Call, which makesRustBlock(), to \p Site, which
/// allocates for callers if \p Slot is where the function's return address is.
void recordRustBlock(llvm::CallBase &Call, RuntimeHooks &Hooks,
                     llvm::GlobalVariable *Site, llvm::Value *Slot);

/// Gives the block that \p Call allocates, if it allocates one, to \p Site.
void retagNewest(llvm::CallBase &Call, RuntimeHooks &Hooks,
                 llvm::GlobalVariable *Site);

// RustAllocations.cpp: the callers that blocks of Rust belong to.
//
// Experimental. Rust allocates by __rust_alloc, deep in its library, with a
// size alone. The generic functions around it know the type.

/// True if rustc made \p M, with debug information.
bool isRust(const llvm::Module &M);

/// Adds core, alloc, std and their dependencies to State.Passed: also functions
/// that rustc has inlined, of which only locations are left.
void passRustLibrary(const llvm::Module &M, PipelineState &State);

/// Has the library's functions that lead to an allocation inlined: the location
/// of the block then ends in the program's code. Large functions stay,
/// and more of them where \p M would grow to more than twice its size.
void inlineRustAllocators(llvm::Module &M);

/// True if \p F is the allocator that Rust calls, or a part of the standard
/// library's. Its blocks belong to its caller, which has announced them. Both
/// are among the program's functions if they are optimised with it.
bool isRustAllocator(const llvm::Function &F);

/// The type of the elements that \p Call allocates: the parameter T of the
/// innermost generic function of the library around it. Empty if unknown.
std::string rustTypeOf(const llvm::CallBase &Call);

/// True if \p Call calls a function of the library that allocates by size
/// alone for a generic one, as RawVecInner does for RawVec<T>.
bool allocatesForGeneric(const llvm::CallBase &Call);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_RUSTCALLS_H
