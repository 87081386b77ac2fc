//===- TagAllocations.h - the early pass ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts what the AST half knows onto the calls, while they are still where the
// source has them, and finds wrappers of allocation functions.
#ifndef INMEM_PLUGIN_IR_TAGALLOCATIONS_H
#define INMEM_PLUGIN_IR_TAGALLOCATIONS_H

#include "ir/Pipeline.h"
#include "llvm/IR/PassManager.h"

namespace inmem {

class TagAllocationsPass : public llvm::PassInfoMixin<TagAllocationsPass> {
public:
  explicit TagAllocationsPass(std::shared_ptr<PipelineState> State)
      : State(std::move(State)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<PipelineState> State;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_TAGALLOCATIONS_H
