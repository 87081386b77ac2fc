//===- Passes.h - our passes, in the order they run in ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_PASSES_H
#define INMEM_PLUGIN_IR_PASSES_H

#include "ir/Pipeline.h"
#include "llvm/IR/PassManager.h"

namespace inmem {

/// A pass over a module, which runs at -O0 and in functions with optnone, too.
template <class Pass>
// As PassInfoMixin itself.
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility)
struct ModulePass : llvm::PassInfoMixin<Pass> {
  static bool isRequired() { return true; }
};

/// A pass that knows what the passes before it found in the unit.
template <class Pass> class StatefulPass : public ModulePass<Pass> {
public:
  /// \p LTOPreLink: the module will be linked as bitcode. Passes inherit this
  /// constructor. NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility)
  explicit StatefulPass(std::shared_ptr<PipelineState> State,
                        bool LTOPreLink = false)
      : State(std::move(State)), LTOPreLink(LTOPreLink) {}

protected:
  std::shared_ptr<PipelineState> State;
  bool LTOPreLink;
};

// TagAllocations.cpp: the early pass.
//
// Attaches the AST half's facts to the calls, while they are still where the
// source has them, and finds wrappers of allocation functions.

class TagAllocationsPass : public StatefulPass<TagAllocationsPass> {
public:
  using StatefulPass::StatefulPass;
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

// CallGraph.cpp: notes which functions may be inlined into which.
//
// accesses=on. Runs before anything is inlined.

class ReadCallsPass : public StatefulPass<ReadCallsPass> {
public:
  using StatefulPass::StatefulPass;
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

// InstrumentObjects.cpp: counts constructions and destructions.
//
// Runs while constructors are still calls. There is one 8-byte cell for each
// place in the source; the thread adds its displacement to the cell's address
// (docs/abi.md). Only objects=lifetime takes the addresses of objects.

class InstrumentObjectsPass : public StatefulPass<InstrumentObjectsPass> {
public:
  /// \p Combine: CombineCountersPass runs after the inliner.
  InstrumentObjectsPass(std::shared_ptr<PipelineState> State, bool LTOPreLink,
                        bool Combine)
      : StatefulPass(std::move(State), LTOPreLink), Combine(Combine) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);

private:
  bool Combine;
};

// CountAccesses.cpp: counts reads and writes by field.
//
// accesses=on. The last pass that sees loads and stores as they will run: it
// marks each that has a name (AccessNames.h) with a count of a cell, which
// CombineCountersPass turns into few increments.

class CountAccessesPass : public StatefulPass<CountAccessesPass> {
public:
  using StatefulPass::StatefulPass;
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

// CombineCounters.cpp: few increments for many counters.
//
// Runs when functions have been inlined. Objects that are made or ended equally
// often, with nothing in between that may leave the function, share one cell:
// it has several inmem_object records. Loops that call nothing count in
// registers.
//
// Counts stay exact wherever they may be observed: no counter moves across a
// call that may not return, throws, or synchronises with another thread.

/// Replaces the placeholders of CounterBuilder::emitCount().
class CombineCountersPass : public StatefulPass<CombineCountersPass> {
public:
  using StatefulPass::StatefulPass;
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

// InstrumentAllocations.cpp: the late pass.
//
// Turns the calls of allocation functions that survived optimisation into
// calls of the runtime's hooks, each with a record of its site.

class InstrumentAllocationsPass
    : public StatefulPass<InstrumentAllocationsPass> {
public:
  using StatefulPass::StatefulPass;
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

// LanguagePrefix.cpp: which functions are C.
//
// Budgets must not throw through C frames. The unwind tables of the C++ ABI
// cannot identify these, so a prefix in front of a function's code does
// (INMEM_LANGUAGE_C; runtime/scopes/Refusal.cpp).

class LanguagePrefixPass : public ModulePass<LanguagePrefixPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

// CallingContext.cpp: contexts=on: the calling context, in one word.
//
// The last pass. Each function that may lead to an allocation loads a
// thread-local word, computes
//
//   context = word * INMEM_CONTEXT_FACTOR + its own return address
//
// and stores that before each call that may allocate; before one that becomes a
// jump, the word itself. So the word is a hash of the return addresses on the
// stack, which the runtime can compute from a walk, too (runtime/stacks/
// StackCache.h): it trusts a word only where both agree. Nothing is restored,
// since each call stores before it: exceptions, longjmp and coroutines leave
// nothing behind. Static numbers of calls instead of return addresses would not
// know whether code without contexts has called in between.

/// Does nothing without the option, or on another processor than x86-64, where
/// the runtime walks no stacks.
class CallingContextPass : public ModulePass<CallingContextPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

// PackTexts.cpp: names in few bytes.
//
// Runs when all records are there, and replaces the texts that they lead to by
// a packed form (abi.h, inmem_packed_texts).

class PackTextsPass : public llvm::PassInfoMixin<PackTextsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

// UnitSections.cpp: few sections for the linker to place.
//
// A linker's work grows with sections, groups, symbols and relocations. Runs
// when all records are there: counters join the group of their function, or
// one group of the unit, and a unit with many types has them all in one
// section without groups.

class UnitSectionsPass : public llvm::PassInfoMixin<UnitSectionsPass> {
public:
  explicit UnitSectionsPass(bool LTOPreLink) : LTOPreLink(LTOPreLink) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  bool LTOPreLink;
};

// DropLocations.cpp: unrequested source locations.
//
// The AST half turns source locations on for our passes. These only need those
// of calls: all others, which the optimiser would copy and merge, are dropped
// before it starts, and the rest after our last pass, so that code generation
// and its diagnostics are as without the plugin. They are kept before an LTO
// link.

class DropLocationsPass : public ModulePass<DropLocationsPass> {
public:
  enum Which { AllButCalls, All };
  explicit DropLocationsPass(Which Dropped) : Dropped(Dropped) {}
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);

private:
  Which Dropped;
};

} // namespace inmem

#endif // INMEM_PLUGIN_IR_PASSES_H
