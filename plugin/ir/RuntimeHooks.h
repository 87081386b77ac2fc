//===- RuntimeHooks.h - every function of the runtime that code calls -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names and signatures of abi.h's hooks, in one place.
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

  /// The hook that replaces \p Call's callee. It has the same parameters and
  /// attributes. The site follows if it allocates, and with \p From also the
  /// slot of a return address. If the unit defines the callee
  /// (AllocationFunctions.h), the hook takes the definition, too.
  llvm::FunctionCallee replacement(const HookedFunction &Hooked,
                                   const llvm::CallBase &Call,
                                   bool From = false);
  /// The hook of \p Name, one of the malloc functions, as replacement() returns
  /// it for a call of that function.
  llvm::FunctionCallee allocation(llvm::StringRef Name, llvm::Type *Result,
                                  llvm::ArrayRef<llvm::Value *> Arguments,
                                  bool From);
  llvm::FunctionCallee retag() { return leaf("__inmem_retag", 2); }
  llvm::FunctionCallee retagOwned() { return leaf("__inmem_retag_owned", 2); }
  llvm::FunctionCallee retagEntries();
  /// The name of the hook that retagSized() returns.
  static constexpr llvm::StringLiteral kRetagSized = "__inmem_retag_sized";
  llvm::FunctionCallee retagSized();
  /// Read the thread's newest block, and the last that a function allocated and
  /// returned after others. retagSized() applies to one of them, or to neither.
  llvm::Value *newestBlock(llvm::IRBuilder<> &Builder);
  llvm::Value *returnedBlock(llvm::IRBuilder<> &Builder);
  void setReturnedBlock(llvm::IRBuilder<> &Builder, llvm::Value *Block);
  llvm::FunctionCallee expect() { return leaf("__inmem_expect", 1); }
  llvm::FunctionCallee expectFrom() { return leaf("__inmem_expect_from", 2); }
  llvm::FunctionCallee objectConstructed() {
    return leaf("__inmem_object_constructed", 2);
  }
  /// Takes the first object, the site, the number of objects and their distance
  /// in bytes.
  llvm::FunctionCallee objectsConstructed();
  llvm::FunctionCallee objectDestroyed() {
    return leaf("__inmem_object_destroyed", 2);
  }
  /// Returns two 64-bit numbers, which copyEnd takes after the site.
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
  /// The address of a thread-local pointer in the runtime, and its value.
  llvm::Value *threadsPointer(llvm::IRBuilder<> &Builder, llvm::StringRef Name);
  llvm::Value *loadThreads(llvm::IRBuilder<> &Builder, llvm::StringRef Name);
  /// A nounwind function, which returns void without \p Result.
  llvm::FunctionCallee nounwind(llvm::StringRef Name,
                                llvm::ArrayRef<llvm::Type *> Parameters,
                                llvm::Type *Result = nullptr);
  /// A nounwind void function with \p Pointers pointer parameters.
  llvm::FunctionCallee leaf(llvm::StringRef Name, unsigned Pointers);

  llvm::Module &M;
};

/// True if the return address is in the frame record that the frame pointer
/// points to.
bool hasFrameRecords(const llvm::Module &M);

/// The point where control continues after \p Call returns normally; splits an
/// edge for an invoke.
llvm::Instruction *pointAfter(llvm::CallBase &Call);

/// Inserts a call of \p Hook with \p Arguments before \p Call; all its other
/// properties are copied from \p Call.
llvm::CallBase &insertCall(llvm::CallBase &Call, llvm::FunctionCallee Hook,
                           llvm::ArrayRef<llvm::Value *> Arguments);

/// Emits code before \p Where that checks whether \p Block, the result of \p
/// Call, is a new block of the requested size. Each interpretation of the
/// arguments gets a call; the caller must set site and unit.
llvm::SmallVector<llvm::CallInst *, 2>
emitConditionalRetags(llvm::Module &M, llvm::CallBase &Call, llvm::Value &Block,
                      llvm::Instruction *Where);

/// \p First and the retags of the same pointer after it (an allocator and its
/// inlined wrapper), up to an instruction that may allocate.
llvm::SmallVector<llvm::CallBase *, 4> sameRetags(llvm::CallBase &First);

/// Marks \p Call, which now calls a hook, as an allocation or deallocation for
/// the optimiser, so that LTO may still remove the pair.
void addAllocationAttributes(const HookedFunction &Hooked,
                             llvm::CallBase &Call);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_RUNTIMEHOOKS_H
