//===- InstrumentObjects.h - counts constructions and destructions --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs while constructors are still calls. There is one 8-byte cell for each
// place in the source; the thread adds its displacement to the cell's address
// (docs/abi.md). Only objects=lifetime takes the addresses of objects.
#ifndef INMEM_PLUGIN_IR_INSTRUMENTOBJECTS_H
#define INMEM_PLUGIN_IR_INSTRUMENTOBJECTS_H

#include "ir/Pipeline.h"
#include "llvm/IR/PassManager.h"

namespace inmem {

class InstrumentObjectsPass
    : public llvm::PassInfoMixin<InstrumentObjectsPass> {
public:
  /// \p Combine: CombineCountersPass runs after the inliner.
  InstrumentObjectsPass(std::shared_ptr<PipelineState> State, bool LTOPreLink,
                        bool Combine)
      : State(std::move(State)), LTOPreLink(LTOPreLink), Combine(Combine) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<PipelineState> State;
  bool LTOPreLink, Combine;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_INSTRUMENTOBJECTS_H
