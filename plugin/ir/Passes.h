//===- Passes.h - our passes, in the order they run in ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_PASSES_H
#define INMEM_PLUGIN_IR_PASSES_H

#include "ir/Pipeline.h"
#include "llvm/IR/PassManager.h"

namespace inmem {

/// A module pass that also runs at -O0 and in functions with optnone.
template <class Pass>
// PassInfoMixin itself needs the same exception.
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility)
struct ModulePass : llvm::PassInfoMixin<Pass> {
  static bool isRequired() { return true; }
};

/// A pass that uses the facts that earlier passes found in the unit.
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
// Attaches the AST half's facts to the calls while they still match the source,
// and finds wrappers of allocation functions.

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
// Runs while constructors are still calls. Each source location has an 8-byte
// cell; the thread adds its displacement to the cell's address (docs/abi.md).
// Only objects=lifetime uses the addresses of objects.

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
// accesses=on. The last pass that sees loads and stores in their final form. It
// marks each one that has a name (AccessNames.h) with a count of a cell, which
// CombineCountersPass turns into few increments.

class CountAccessesPass : public StatefulPass<CountAccessesPass> {
public:
  using StatefulPass::StatefulPass;
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

// CombineCounters.cpp: few increments for many counters.
//
// Runs after inlining. Objects that are constructed or destroyed equally often,
// with nothing in between that may leave the function, share one cell, which
// then has several inmem_object records. Loops without calls count in
// registers.
//
// Counts stay exact wherever they may be observed: counters never move across a
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

// LanguagePrefix.cpp: identifies C functions.
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

/// Does nothing without the option, or on processors other than x86-64, on
/// which the runtime does not walk stacks.
class CallingContextPass : public ModulePass<CallingContextPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
};

// PackTexts.cpp: compact names.
//
// Runs after all records are created, and replaces their texts by a packed form
// (abi.h, inmem_packed_texts).

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
// The AST half turns source locations on for our passes, which need only the
// locations of calls. All others, which the optimiser would copy and merge, are
// dropped before it starts. The rest are dropped after our last pass, so that
// code generation and its diagnostics are as without the plugin. Before an LTO
// link they are kept.

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
