//===- RustAllocator.h - calls of Rust's allocator --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Experimental. rustc calls __rust_alloc and its like for all blocks; what is
// linked with the program defines them: the standard library, which calls
// malloc, or the program's #[global_allocator].
#ifndef INMEM_PLUGIN_IR_RUSTALLOCATOR_H
#define INMEM_PLUGIN_IR_RUSTALLOCATOR_H

namespace llvm {
class CallBase;
class GlobalVariable;
class Value;
} // namespace llvm

namespace inmem {

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

} // namespace inmem

#endif // INMEM_PLUGIN_IR_RUSTALLOCATOR_H
