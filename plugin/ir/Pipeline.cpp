//===- Pipeline.cpp - where our passes are in LLVM's pipeline -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/Pipeline.h"
#include "Compat.h"
#include "PluginOptions.h"
#include "ir/HandlerFates.h"
#include "ir/Passes.h"
#include "ir/PlaceAllocations.h"
#include "ir/SavedFacts.h"
#include "ir/TypeTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"

using namespace llvm;

namespace inmem {

bool claimStage(Module &M, StringRef Stage) {
  std::string Name = ("inmem." + Stage).str();
  if (M.getNamedMetadata(Name))
    return false;
  M.getOrInsertNamedMetadata(Name)->addOperand(MDNode::get(M.getContext(), {}));
  return true;
}

void claimAllStages(Module &M) {
  for (StringRef Stage : {"early", "language", "objects", "accesses",
                          "contexts", "handlers", "handlers-late", "late"})
    claimStage(M, Stage);
}

bool isBeforeLink(const Module &M, bool LTOPreLink) {
  // In some versions the pipeline does not report this. For them, clang sets
  // module flags.
  return LTOPreLink || CompilationInfo::current().LTOPreLink ||
         M.getModuleFlag("EnableSplitLTOUnit") || M.getModuleFlag("ThinLTO");
}

const DISubprogram *
PipelineState::asWritten(const DISubprogram *Subprogram) const {
  if (!Subprogram || Coroutines.empty())
    return Subprogram;
  StringRef Name = Subprogram->getLinkageName();
  for (StringRef Part : {".resume", ".destroy", ".cleanup"})
    if (Name.consume_back(Part)) {
      const DISubprogram *Known = Coroutines.lookup(withoutUniqueSuffix(Name));
      return Known ? Known : Subprogram;
    }
  return Subprogram;
}

bool PipelineState::isCoroutine(const DISubprogram *Subprogram) const {
  const auto Name = FunctionNames.find(Subprogram);
  return Name != FunctionNames.end() && Subprogram &&
         Coroutines.lookup(Name->second) == Subprogram;
}

const DISubprogram *PipelineState::functionOf(const DILocation &Loc) const {
  return asWritten(Loc.getScope()->getSubprogram());
}

PipelineState::Call readCall(const CallBase &Call) {
  PipelineState::Call Known;
  Known.TypeKey = Call.getFnAttr(kTypeAttribute).getValueAsString().str();
  SmallVector<StringRef, 5> Numbers;
  Call.getFnAttr(kSiteAttribute).getValueAsString().split(Numbers, ',');
  if (Numbers.size() != 5)
    return Known;
  for (auto [Text, Member] :
       zip(Numbers,
           std::array{&Known.Kind, &Known.Cookie, &Known.Rule, &Known.Flags}))
    Text.getAsInteger(10, *Member);
  Numbers[4].getAsInteger(10, Known.Unit);
  return Known;
}

/// Passes that need functions as they were written.
static void addEarlyPasses(ModulePassManager &Passes,
                           const std::shared_ptr<PipelineState> &State) {
  Passes.addPass(TagAllocationsPass(State));
  Passes.addPass(ReadCallsPass(State));
  Passes.addPass(LanguagePrefixPass());
  Passes.addPass(HandlerFatesPass(HandlerFatesPass::Early));
}

/// In a process that runs no passes, does the work that needs the AST half's
/// table. The process that runs them does the rest, if it loads this library.
static void runWithoutPipeline(Module &M) {
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  PassBuilder Builder;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  bool LTO = CompilationInfo::current().LTOPreLink;
  auto State = std::make_shared<PipelineState>();
  ModulePassManager Passes;
  addEarlyPasses(Passes, State);
  Passes.addPass(InstrumentObjectsPass(State, LTO, /*Combine=*/false));
  if (!CompilationInfo::current().PassesHaveLibrary) {
    Passes.addPass(AlwaysInlinerPass());
    // As before a link, inlining is incomplete.
    Passes.addPass(HandlerFatesPass(HandlerFatesPass::LateBeforeLink));
    Passes.addPass(InstrumentAllocationsPass(State, LTO));
    Passes.addPass(CallingContextPass());
    Passes.addPass(PackTextsPass());
  }
  Passes.run(M, Modules);
  if (CompilationInfo::current().PassesHaveLibrary)
    saveFacts(M);
}

/// Makes runWithoutPipeline() run before clang writes the module.
static void registerBeforeWriting(PassBuilder &Builder) {
  PassInstrumentationCallbacks *Callbacks =
      Builder.getPassInstrumentationCallbacks();
  if (!Callbacks)
    return;
  Callbacks->registerBeforeNonSkippedPassCallback([](StringRef, Any IR) {
    const auto *Const = any_cast<const Module *>(&IR);
    if (!Const)
      return;
    // The writer's module is const only by convention. Claim it once: passes
    // that run in between do their own instrumentation.
    Module &M = const_cast<Module &>(**Const);
    if (CompilationInfo::current().Freestanding)
      claimAllStages(M);
    else if (!M.getNamedMetadata("inmem.early"))
      runWithoutPipeline(M);
  });
}

/// types=table: see TypeTable.h.
static void registerTypeTable(PassBuilder &Builder) {
  // If another process runs the passes, this one has no code to label.
  if (CompilationInfo::current().Freestanding ||
      CompilationInfo::current().PassesApart)
    return;
  auto State = std::make_shared<PipelineState>();
  Builder.registerPipelineStartEPCallback(
      [State](ModulePassManager &Passes, OptimizationLevel Level, auto...) {
        Passes.addPass(TagAllocationsPass(State));
        if (Level != OptimizationLevel::O0)
          Passes.addPass(DropLocationsPass(DropLocationsPass::AllButCalls));
      });
  Builder.registerOptimizerLastEPCallback(
      [State](ModulePassManager &Passes, OptimizationLevel, auto...) {
        Passes.addPass(TypeTablePass(State));
        Passes.addPass(DropLocationsPass(DropLocationsPass::All));
        Passes.addPass(TypeTableWriterPass());
      });
}

/// Types and sites are attached while calls still match the source.
/// Constructions are counted while constructors are still calls; their counters
/// are combined after inlining and before loops are vectorised. Allocations are
/// instrumented after the optimiser, so that one that it removed is not counted
/// and no hook keeps one alive. Texts are packed once all records exist.
void registerPasses(PassBuilder &Builder) {
  if (Options::current().TypeTable)
    return registerTypeTable(Builder);
  if (Options::current().Profile && !CompilationInfo::current().Freestanding)
    return registerPlacement(Builder);
  if (CompilationInfo::current().PassesApart)
    return registerBeforeWriting(Builder);
  if (CompilationInfo::current().Freestanding)
    return;
  auto State = std::make_shared<PipelineState>();
  Builder.registerPipelineStartEPCallback(
      [State](ModulePassManager &Passes, OptimizationLevel Level, auto...) {
        addEarlyPasses(Passes, State);
        // Locations are dropped because the optimiser would copy them.
        // accesses=on needs the locations of loads and stores.
        if (Level != OptimizationLevel::O0 && !Options::current().Accesses)
          Passes.addPass(DropLocationsPass(DropLocationsPass::AllButCalls));
      });
  Builder.registerPipelineEarlySimplificationEPCallback(
      [State](ModulePassManager &Passes, OptimizationLevel Level,
              auto... Phase) {
        Passes.addPass(InstrumentObjectsPass(State,
                                             compat::isLTOPreLink(Phase...),
                                             Level != OptimizationLevel::O0));
      });
  Builder.registerOptimizerEarlyEPCallback([State](ModulePassManager &Passes,
                                                   OptimizationLevel,
                                                   auto... Phase) {
    Passes.addPass(CombineCountersPass(State, compat::isLTOPreLink(Phase...)));
  });
  Builder.registerOptimizerLastEPCallback(
      [State](ModulePassManager &Passes, OptimizationLevel, auto... Phase) {
        bool LTO = compat::isLTOPreLink(Phase...);
        Passes.addPass(CountAccessesPass(State, LTO));
        // CountAccessesPass has just added counts. Also, LLVM 16 calls only
        // this extension point before a ThinLTO link.
        Passes.addPass(CombineCountersPass(State, LTO));
        Passes.addPass(HandlerFatesPass(LTO ? HandlerFatesPass::LateBeforeLink
                                            : HandlerFatesPass::Late));
        Passes.addPass(InstrumentAllocationsPass(State, LTO));
        Passes.addPass(CallingContextPass());
        Passes.addPass(PackTextsPass());
        Passes.addPass(UnitSectionsPass(LTO));
        Passes.addPass(DropLocationsPass(DropLocationsPass::All));
        Passes.addPass(TypeTableWriterPass()); // for ThinLTO links
      });
  // lld --load-pass-plugin: code that was not instrumented at compile time.
  Builder.registerFullLinkTimeOptimizationLastEPCallback(
      [State](ModulePassManager &Passes, OptimizationLevel, auto...) {
        addEarlyPasses(Passes, State);
        Passes.addPass(HandlerFatesPass(HandlerFatesPass::Late));
        Passes.addPass(InstrumentAllocationsPass(State, false));
        Passes.addPass(PackTextsPass());
        Passes.addPass(TypeTableWriterPass());
      });
  // opt -passes=...
  Builder.registerPipelineParsingCallback(
      [State](StringRef Name, ModulePassManager &Passes,
              ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "inmem-tag")
          Passes.addPass(TagAllocationsPass(State));
        else if (Name == "inmem-allocations")
          Passes.addPass(InstrumentAllocationsPass(State, false));
        else if (Name == "inmem-allocations-lto")
          Passes.addPass(InstrumentAllocationsPass(State, true));
        else if (Name == "inmem-language")
          Passes.addPass(LanguagePrefixPass());
        else if (Name == "inmem-handlers")
          Passes.addPass(HandlerFatesPass(HandlerFatesPass::Early));
        else if (Name == "inmem-handlers-late")
          Passes.addPass(HandlerFatesPass(HandlerFatesPass::Late));
        else
          return false;
        return true;
      });
}

} // namespace inmem
