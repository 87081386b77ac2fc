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

/// Functions that make a block of unknown type and others after it, such as an
/// entry in a list of blocks, before they return it. Their callers may name the
/// type, but the block is not the thread's newest any more. So each such
/// function stores what it returns in __inmem_returned, if that is a block of
/// its own making.
class ReturnedBlocks {
public:
  explicit ReturnedBlocks(llvm::Module &M) : M(M) {}

  /// \p Call makes a block that is still uninitialised.
  void note(llvm::CallBase &Call);
  /// Adds the code. To be called last: it changes the control flow.
  void emit();

private:
  void emit(llvm::Function &F, llvm::ArrayRef<llvm::CallBase *> Made);

  llvm::Module &M;
  llvm::MapVector<llvm::Function *, llvm::SmallVector<llvm::CallBase *, 2>>
      Found;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_RETURNEDBLOCKS_H
