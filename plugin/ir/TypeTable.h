//===- TypeTable.h - types=table: types by return address -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing is instrumented: calls only get metadata, which no optimisation looks
// at, and code generation is followed by a table of where calls return to
// (inmem/type_table.h). Code is byte for byte as without the plugin.
#ifndef INMEM_PLUGIN_IR_TYPETABLE_H
#define INMEM_PLUGIN_IR_TYPETABLE_H

#include "ir/Pipeline.h"
#include "llvm/IR/PassManager.h"

namespace inmem {

/// Keeps the early pass's attributes as metadata, which, unlike them, does not
/// keep calls apart. Inlining may lose it; describe() then finds the place.
void keepTagsAsMetadata(llvm::Module &M);

/// Attaches to each call that allocates what the table says of it, under a name
/// that code generation keeps with the instruction. In place of
/// InstrumentAllocationsPass.
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

/// Makes code generation of this process write tables of modules that have what
/// TypeTablePass attaches, here or before an LTO link. Thread-safe.
class TypeTableWriterPass : public llvm::PassInfoMixin<TypeTableWriterPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }
};

/// An entry, in a form that bitcode keeps.
struct TypedCall {
  llvm::StringRef Type, File;
  uint64_t Size = 0;
  uint32_t Line = 0, Flags = 0; ///< enum inmem_typed_call_flags
};
/// True if TypeTablePass was run on \p M, here or before an LTO link.
bool hasTypeTable(const llvm::Module &M);
/// Moves entries to the metadata that code generation keeps, which stripping
/// locations would drop.
void markTypedCalls(llvm::Module &M);

llvm::MDNode *encodeTypedCall(llvm::LLVMContext &Context,
                              const TypedCall &Call);
/// \returns none for metadata of others
std::optional<TypedCall> decodeTypedCall(const llvm::MDNode *Node);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_TYPETABLE_H
