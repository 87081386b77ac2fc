//===- RuntimeHooks.h - every function of the runtime that code calls -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One place for the names and signatures of abi.h's hooks.
#ifndef INMEM_PLUGIN_IR_RUNTIMEHOOKS_H
#define INMEM_PLUGIN_IR_RUNTIMEHOOKS_H

#include "ir/AllocationFunctions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#define INMEM_STRINGIFY_(X) #X
/// The expansion of a macro of abi.h as text.
#define INMEM_STRINGIFY(X) INMEM_STRINGIFY_(X)

namespace inmem {

class RuntimeHooks {
public:
  explicit RuntimeHooks(llvm::Module &M) : M(M) {}

  /// The hook in place of \p Call's callee. It has the same parameters, the
  /// site if it allocates, and with \p From the place of a return address too.
  /// It carries the original's attributes. If the unit defines the callee
  /// (AllocationFunctions.h), the hook takes the definition as well.
  llvm::FunctionCallee replacement(const HookedFunction &Hooked,
                                   const llvm::CallBase &Call,
                                   bool From = false);
  /// The hook of \p Name, one of malloc's functions: as replacement() gives it
  /// for a call of that.
  llvm::FunctionCallee allocation(llvm::StringRef Name, llvm::Type *Result,
                                  llvm::ArrayRef<llvm::Value *> Arguments,
                                  bool From);
  llvm::FunctionCallee retag() { return leaf("__inmem_retag", 2); }
  llvm::FunctionCallee retagOwned() { return leaf("__inmem_retag_owned", 2); }
  llvm::FunctionCallee retagEntries();
  /// The name of the hook that retagSized() gives.
  static constexpr llvm::StringLiteral kRetagSized = "__inmem_retag_sized";
  llvm::FunctionCallee retagSized();
  /// Read the thread's newest block, and the last that a function made and
  /// returned after others: retagSized() is about one of them, or none.
  llvm::Value *newestBlock(llvm::IRBuilder<> &Builder);
  llvm::Value *returnedBlock(llvm::IRBuilder<> &Builder);
  void setReturnedBlock(llvm::IRBuilder<> &Builder, llvm::Value *Block);
  llvm::FunctionCallee expect() { return leaf("__inmem_expect", 1); }
  llvm::FunctionCallee expectFrom() { return leaf("__inmem_expect_from", 2); }
  llvm::FunctionCallee objectConstructed() {
    return leaf("__inmem_object_constructed", 2);
  }
  /// The first object, the site, how many and how many bytes apart.
  llvm::FunctionCallee objectsConstructed();
  llvm::FunctionCallee objectDestroyed() {
    return leaf("__inmem_object_destroyed", 2);
  }
  /// Returns two 64-bit numbers, what copyEnd takes after the site.
  llvm::FunctionCallee copyBegin();
  llvm::FunctionCallee copyEnd();
  /// Where the function saves its return address.
  llvm::Value *returnSlot(llvm::IRBuilder<> &Builder);
  /// Takes two functions; returns an 8-bit number.
  llvm::FunctionCallee isJump();
  llvm::FunctionCallee registerModule() {
    return leaf("__inmem_register_module", 1);
  }
  llvm::FunctionCallee unregisterModule() {
    return leaf("__inmem_unregister_module", 1);
  }

private:
  /// The address of a thread-local pointer of the runtime, and its value.
  llvm::Value *threadsPointer(llvm::IRBuilder<> &Builder, llvm::StringRef Name);
  llvm::Value *loadThreads(llvm::IRBuilder<> &Builder, llvm::StringRef Name);
  /// A nounwind function; without \p Result it returns nothing.
  llvm::FunctionCallee nounwind(llvm::StringRef Name,
                                llvm::ArrayRef<llvm::Type *> Parameters,
                                llvm::Type *Result = nullptr);
  /// A nounwind void function of \p Pointers pointers.
  llvm::FunctionCallee leaf(llvm::StringRef Name, unsigned Pointers);

  llvm::Module &M;
};

/// True if the return address is in the frame's record, to which the frame
/// pointer points.
bool hasFrameRecords(const llvm::Module &M);

/// The point at which control continues after \p Call returned normally; splits
/// an edge for an invoke.
llvm::Instruction *pointAfter(llvm::CallBase &Call);

/// Calls \p Hook with \p Arguments in front of \p Call, and as that in all
/// else.
llvm::CallBase &insertCall(llvm::CallBase &Call, llvm::FunctionCallee Hook,
                           llvm::ArrayRef<llvm::Value *> Arguments);

/// Asks, before \p Where, whether \p Block, which \p Call gave, is a new block
/// of the size that its arguments ask for, in one call for each way to read
/// them; site and unit are still to be set.
llvm::SmallVector<llvm::CallInst *, 2>
emitConditionalRetags(llvm::Module &M, llvm::CallBase &Call, llvm::Value &Block,
                      llvm::Instruction *Where);

/// \p First and those behind it of the same pointer (an allocator and its
/// wrapper, inlined), while nothing between can make a block.
llvm::SmallVector<llvm::CallBase *, 4> sameRetags(llvm::CallBase &First);

/// Marks \p Call, which now calls a hook, as an allocation or deallocation in
/// the optimiser's eyes, so that LTO may still remove the pair.
void addAllocationAttributes(const HookedFunction &Hooked,
                             llvm::CallBase &Call);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_RUNTIMEHOOKS_H
