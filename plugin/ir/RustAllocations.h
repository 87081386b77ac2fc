//===- RustAllocations.h - whose the blocks of Rust are ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experimental. Rust allocates by __rust_alloc, deep in its library, with a
// size alone. The generic functions around it know the type.
#ifndef INMEM_PLUGIN_IR_RUSTALLOCATIONS_H
#define INMEM_PLUGIN_IR_RUSTALLOCATIONS_H

#include "ir/Pipeline.h"

namespace inmem {

/// True if rustc made \p M, with debug information.
bool isRust(const llvm::Module &M);

/// Adds core, alloc, std and what they bring to State.Passed: also functions
/// that rustc has inlined, of which only locations are left.
void passRustLibrary(const llvm::Module &M, PipelineState &State);

/// Has the library's functions that lead to an allocation inlined: the location
/// of the block then ends in the program's code. Large functions stay,
/// and more of them where \p M would grow to more than twice its size.
void inlineRustAllocators(llvm::Module &M);

/// True if \p F is the allocator that Rust calls, or a part of the standard
/// library's: its blocks are for who calls it and has announced them. Both are
/// among the program's functions if they are optimised with it.
bool isRustAllocator(const llvm::Function &F);

/// The type of the elements that \p Call allocates: the parameter T of the
/// innermost generic function of the library around it. Empty if unknown.
std::string rustTypeOf(const llvm::CallBase &Call);

/// True if \p Call calls a function of the library that allocates by size
/// alone for a generic one, as RawVecInner does for RawVec<T>.
bool allocatesForGeneric(const llvm::CallBase &Call);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_RUSTALLOCATIONS_H
