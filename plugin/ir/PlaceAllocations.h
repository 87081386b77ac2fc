//===- PlaceAllocations.h - optimize=PROFILE --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of allocation functions, whose blocks live long as the profile says,
// go to libinmem_place with the class. Nothing is instrumented then.
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

/// Linkage names of functions, which location-only debug information lacks.
using FunctionNameMap = llvm::DenseMap<const llvm::DISubprogram *, std::string>;

/// Early: learns names, and warns if a tenth of the profile's sites in this
/// module's functions are not there.
class MatchProfilePass : public llvm::PassInfoMixin<MatchProfilePass> {
public:
  explicit MatchProfilePass(std::shared_ptr<FunctionNameMap> Names)
      : Names(std::move(Names)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<FunctionNameMap> Names;
};

/// Late: after inlining, a call's chain of callers may decide.
class PlaceAllocationsPass : public llvm::PassInfoMixin<PlaceAllocationsPass> {
public:
  explicit PlaceAllocationsPass(std::shared_ptr<FunctionNameMap> Names)
      : Names(std::move(Names)) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::shared_ptr<FunctionNameMap> Names;
};

/// The passes of optimize=PROFILE, in place of those that instrument.
void registerPlacement(llvm::PassBuilder &Builder);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_PLACEALLOCATIONS_H
