//===- Pipeline.cpp - where our passes stand in LLVM's pipeline -----------===//
#include "ir/Pipeline.h"
#include "Compat.h"
#include "Options.h"
#include "ir/InstrumentAllocations.h"
#include "ir/InstrumentObjects.h"
#include "ir/MarkHandlers.h"
#include "ir/TagAllocations.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace inmem {

bool enterStage(Module &M, StringRef Stage) {
  std::string Name = ("inmem." + Stage).str();
  if (M.getNamedMetadata(Name))
    return false;
  M.getOrInsertNamedMetadata(Name)->addOperand(
      MDNode::get(M.getContext(), {}));
  return true;
}

bool isBeforeLink(const Module &M, bool LTOPreLink) {
  // Versions whose pipeline does not say so: clang marks the module.
  return LTOPreLink || SiteTable::current().LTOPreLink ||
         M.getModuleFlag("EnableSplitLTOUnit") || M.getModuleFlag("ThinLTO");
}

void registerPasses(PassBuilder &Builder) {
  auto State = std::make_shared<PipelineState>();
  Builder.registerPipelineStartEPCallback(
      [State](ModulePassManager &Passes, OptimizationLevel, auto...) {
        Passes.addPass(TagAllocationsPass(State));
        Passes.addPass(MarkHandlersPass(MarkHandlersPass::Early));
      });
  Builder.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &Passes, OptimizationLevel, auto... Phase) {
        Passes.addPass(InstrumentObjectsPass(compat::isLTOPreLink(Phase...)));
      });
  Builder.registerOptimizerEarlyEPCallback(
      [](ModulePassManager &Passes, OptimizationLevel Level, auto...) {
        if (Level == OptimizationLevel::O0 ||
            Options::current().Objects == ObjectsMode::Off)
          return;
        Passes.addPass(
            createModuleToFunctionPassAdaptor(SeparateCountersPass()));
      });
  Builder.registerOptimizerLastEPCallback(
      [State](ModulePassManager &Passes, OptimizationLevel, auto... Phase) {
        bool LTO = compat::isLTOPreLink(Phase...);
        Passes.addPass(MarkHandlersPass(LTO ? MarkHandlersPass::LateBeforeLink
                                            : MarkHandlersPass::Late));
        Passes.addPass(InstrumentAllocationsPass(State, LTO));
      });
  // For lld --load-pass-plugin: code that was not instrumented when compiled.
  Builder.registerFullLinkTimeOptimizationLastEPCallback(
      [State](ModulePassManager &Passes, OptimizationLevel, auto...) {
        Passes.addPass(TagAllocationsPass(State));
        Passes.addPass(MarkHandlersPass(MarkHandlersPass::Early));
        Passes.addPass(MarkHandlersPass(MarkHandlersPass::Late));
        Passes.addPass(InstrumentAllocationsPass(State, false));
      });
  // For opt -passes=...
  Builder.registerPipelineParsingCallback(
      [State](StringRef Name, ModulePassManager &Passes,
              ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "inmem-tag")
          Passes.addPass(TagAllocationsPass(State));
        else if (Name == "inmem-allocations")
          Passes.addPass(InstrumentAllocationsPass(State, false));
        else if (Name == "inmem-allocations-lto")
          Passes.addPass(InstrumentAllocationsPass(State, true));
        else if (Name == "inmem-handlers")
          Passes.addPass(MarkHandlersPass(MarkHandlersPass::Early));
        else if (Name == "inmem-handlers-late")
          Passes.addPass(MarkHandlersPass(MarkHandlersPass::Late));
        else
          return false;
        return true;
      });
}

} // namespace inmem
