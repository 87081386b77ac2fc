//===- DropLocations.h - source locations that nobody asked for -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The AST half turns source locations on for our passes. All that these look at
// are those of calls: the others, which optimisation would copy and merge, are
// taken out before it begins. Behind the last pass all are: code generation,
// and what it has to say, are as without the plugin. Before an LTO link they
// stay.
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
