//===- Counters.h - code that counts ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter is an 8-byte cell. The thread adds its displacement to the cell's
// address (docs/abi.md).
#ifndef INMEM_PLUGIN_IR_COUNTERS_H
#define INMEM_PLUGIN_IR_COUNTERS_H

#include "ir/DescriptorEmitter.h"
#include "llvm/IR/IRBuilder.h"

namespace inmem {

/// void __inmem_count(ptr Cell): represents an increment until functions have
/// been inlined. Then CombineCountersPass replaces it.
inline constexpr llvm::StringLiteral kCountFunction = "__inmem_count";

class CounterBuilder {
public:
  CounterBuilder(llvm::Module &M, DescriptorEmitter &Emitter);

  /// Emits a call of kCountFunction.
  void emitCount(llvm::IRBuilder<> &Builder, llvm::GlobalVariable &Cell);
  /// Calls a function that adds \p Step to the thread's cell for \p Cell. In
  /// unoptimised code, a call compiles faster than an increment.
  void addOutOfLine(llvm::IRBuilder<> &Builder, llvm::GlobalVariable &Cell,
                    llvm::Value *Step);
  /// The calling thread's displacement.
  llvm::Value *displacement(llvm::IRBuilder<> &Builder);
  /// Adds \p Step to the cell at \p Address. \p InMemory prevents passes from
  /// keeping the cell in a register.
  void add(llvm::IRBuilder<> &Builder, llvm::Value *Address, llvm::Value *Step,
           bool InMemory = false);

private:
  llvm::Function *adder();
  llvm::Value *threadLocal(llvm::IRBuilder<> &Builder,
                           llvm::GlobalVariable *Variable);

  llvm::Module &M;
  DescriptorEmitter &Emitter;
  llvm::IntegerType *I64;
  llvm::MDNode *CounterTag, *BaseTag;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_COUNTERS_H
