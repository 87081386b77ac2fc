//===- InstrumentAllocations.h - the late pass ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns the calls of allocation functions that survived optimisation into
// calls of the runtime's hooks, each with a record of its site.
#ifndef INMEM_PLUGIN_IR_INSTRUMENTALLOCATIONS_H
#define INMEM_PLUGIN_IR_INSTRUMENTALLOCATIONS_H

#include "ir/Pipeline.h"
#include "llvm/IR/PassManager.h"

namespace inmem {

class InstrumentAllocationsPass
    : public llvm::PassInfoMixin<InstrumentAllocationsPass> {
public:
  InstrumentAllocationsPass(std::shared_ptr<PipelineState> State,
                            bool LTOPreLink)
      : State(std::move(State)), LTOPreLink(LTOPreLink) {}
  llvm::PreservedAnalyses run(llvm::Module &M,
                              llvm::ModuleAnalysisManager &Analyses);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<PipelineState> State;
  bool LTOPreLink;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_INSTRUMENTALLOCATIONS_H
