//===- ReturnedBlocks.h - blocks that a function hands out late -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_RETURNEDBLOCKS_H
#define INMEM_PLUGIN_IR_RETURNEDBLOCKS_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace inmem {

/// Handles functions that allocate a block of unknown type, and then others,
/// such as an entry in a list of blocks, before they return the first. Their
/// callers may name the type, but the block is no longer the thread's newest.
/// So each such function stores its result in __inmem_returned, if it is a
/// block that it allocated.
class ReturnedBlocks {
public:
  explicit ReturnedBlocks(llvm::Module &M) : M(M) {}

  /// Records that \p Call allocates a block that is still uninitialised.
  void note(llvm::CallBase &Call);
  /// Adds the code. Call last: it changes the control flow.
  void emit();

private:
  void emit(llvm::Function &F, llvm::ArrayRef<llvm::CallBase *> Made);

  llvm::Module &M;
  llvm::MapVector<llvm::Function *, llvm::SmallVector<llvm::CallBase *, 2>>
      Found;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_RETURNEDBLOCKS_H
