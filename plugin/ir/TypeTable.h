//===- TypeTable.h - types=table: types by return address -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing is instrumented. Calls only get metadata, which optimisations ignore,
// and code generation emits a table of their return addresses
// (inmem/type_table.h). Code is byte for byte the same as without the plugin.
#ifndef INMEM_PLUGIN_IR_TYPETABLE_H
#define INMEM_PLUGIN_IR_TYPETABLE_H

#include "ir/Pipeline.h"
#include "llvm/IR/PassManager.h"

namespace inmem {

/// Turns the early pass's attributes into metadata, which, unlike attributes,
/// does not prevent merging of calls. Inlining may lose it; describe() then
/// uses the location.
void keepTagsAsMetadata(llvm::Module &M);

/// Attaches the table entry of each allocating call as metadata that code
/// generation keeps with the instruction. Replaces InstrumentAllocationsPass.
class TypeTablePass : public llvm::PassInfoMixin<TypeTablePass> {
public:
  explicit TypeTablePass(std::shared_ptr<PipelineState> State)
      : State(std::move(State)) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<PipelineState> State;
};

/// Makes code generation in this process write tables of modules with metadata
/// from TypeTablePass, which ran here or before an LTO link. Thread-safe.
class TypeTableWriterPass : public llvm::PassInfoMixin<TypeTableWriterPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }
};

/// An entry in a form that bitcode can store.
struct TypedCall {
  llvm::StringRef Type, File;
  uint64_t Size = 0;
  uint32_t Line = 0, Flags = 0; ///< enum inmem_typed_call_flags
};
/// True if TypeTablePass was run on \p M, here or before an LTO link.
bool hasTypeTable(const llvm::Module &M);
/// Moves entries to the metadata that code generation keeps. Not done earlier,
/// because stripping locations would drop it.
void markTypedCalls(llvm::Module &M);

llvm::MDNode *encodeTypedCall(llvm::LLVMContext &Context,
                              const TypedCall &Call);
/// \returns nullopt for other metadata
std::optional<TypedCall> decodeTypedCall(const llvm::MDNode *Node);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_TYPETABLE_H
