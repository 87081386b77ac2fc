//===- PlaceAllocations.h - optimize=PROFILE --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces allocation calls for which the profile predicts long-lived blocks by
// calls of libinmem_place with the class. Nothing is instrumented.
#ifndef INMEM_PLUGIN_IR_PLACEALLOCATIONS_H
#define INMEM_PLUGIN_IR_PLACEALLOCATIONS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/PassManager.h"
#include <memory>
#include <string>

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace inmem {

/// Linkage names, which line-table-only debug information lacks.
using FunctionNameMap = llvm::DenseMap<const llvm::DISubprogram *, std::string>;

/// Early: collects names, and warns if a tenth of the profile's locations in
/// this module's functions are missing.
class MatchProfilePass : public llvm::PassInfoMixin<MatchProfilePass> {
public:
  explicit MatchProfilePass(std::shared_ptr<FunctionNameMap> Names)
      : Names(std::move(Names)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<FunctionNameMap> Names;
};

/// Late: after inlining, so that inlined callers can decide.
class PlaceAllocationsPass : public llvm::PassInfoMixin<PlaceAllocationsPass> {
public:
  explicit PlaceAllocationsPass(std::shared_ptr<FunctionNameMap> Names)
      : Names(std::move(Names)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<FunctionNameMap> Names;
};

/// Registers the passes of optimize=PROFILE instead of the instrumenting ones.
void registerPlacement(llvm::PassBuilder &Builder);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_PLACEALLOCATIONS_H
