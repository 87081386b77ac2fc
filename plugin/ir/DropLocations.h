//===- DropLocations.h - unrequested source locations -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The AST half turns source locations on for our passes. These only need those
// of calls: all others, which the optimiser would copy and merge, are dropped
// before it starts, and the rest after our last pass, so that code generation
// and its diagnostics are as without the plugin. They are kept before an LTO
// link.
#ifndef INMEM_PLUGIN_IR_DROPLOCATIONS_H
#define INMEM_PLUGIN_IR_DROPLOCATIONS_H

#include "llvm/IR/PassManager.h"

namespace inmem {

class DropLocationsPass : public llvm::PassInfoMixin<DropLocationsPass> {
public:
  enum Which { AllButCalls, All };
  explicit DropLocationsPass(Which Dropped) : Dropped(Dropped) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  Which Dropped;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_DROPLOCATIONS_H
