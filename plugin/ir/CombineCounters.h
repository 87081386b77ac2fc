//===- CombineCounters.h - few increments for many counters -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs when functions have been inlined. Objects that are made or ended
// equally often, with nothing in between that may leave the function, share one
// cell: its several inmem_object records say what it counts. Loops that call
// nothing count in registers.
//
// Counts stay exact wherever somebody may look at them: none moves across a
// call that may not return, throws, or synchronises with another thread.
#ifndef INMEM_PLUGIN_IR_COMBINECOUNTERS_H
#define INMEM_PLUGIN_IR_COMBINECOUNTERS_H

#include "ir/Pipeline.h"
#include "llvm/IR/PassManager.h"

namespace inmem {

/// Replaces what CounterBuilder::emitCount() left.
class CombineCountersPass : public llvm::PassInfoMixin<CombineCountersPass> {
public:
  CombineCountersPass(std::shared_ptr<PipelineState> State, bool LTOPreLink)
      : State(std::move(State)), LTOPreLink(LTOPreLink) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<PipelineState> State;
  bool LTOPreLink;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_COMBINECOUNTERS_H
