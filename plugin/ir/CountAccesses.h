//===- CountAccesses.h - counts reads and writes by field -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// accesses=on. The last pass that sees loads and stores as they will run: it
// marks each that has a name (AccessNames.h) with a count of a cell, which
// CombineCountersPass turns into few increments.
#ifndef INMEM_PLUGIN_IR_COUNTACCESSES_H
#define INMEM_PLUGIN_IR_COUNTACCESSES_H

#include "ir/Pipeline.h"
#include "llvm/IR/PassManager.h"

namespace inmem {

class CountAccessesPass : public llvm::PassInfoMixin<CountAccessesPass> {
public:
  CountAccessesPass(std::shared_ptr<PipelineState> State, bool LTOPreLink)
      : State(std::move(State)), LTOPreLink(LTOPreLink) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<PipelineState> State;
  bool LTOPreLink;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_COUNTACCESSES_H
