//===- Pipeline.h - where our passes are in LLVM's pipeline -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the passes and holds the data that early passes leave for the late
// one.
#ifndef INMEM_PLUGIN_IR_PIPELINE_H
#define INMEM_PLUGIN_IR_PIPELINE_H

#include "SiteTable.h"
#include "ir/CallGraph.h"
#include "ir/CounterRecords.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include <memory>
#include <tuple>

namespace llvm {
class CallBase;
class Module;
class PassBuilder;
} // namespace llvm

namespace inmem {

/// Facts that the early pass collects while every function is still as written.
/// Subprograms are compared by address only, and live as long as the module's
/// context.
struct PipelineState {
  /// An allocating call at a source location in a function.
  struct Call {
    std::string TypeKey;
    uint8_t Kind = INMEM_SITE_UNKNOWN;
    uint8_t Cookie = 0;
    uint8_t Rule = INMEM_RULE_NONE;
    uint8_t Flags = 0;
    uint64_t Unit = 1;
    bool Ambiguous = false;
  };
  using Line = std::tuple<const llvm::DISubprogram *, unsigned, unsigned>;

  /// Linkage names, which location-only debug information lacks.
  llvm::DenseMap<const llvm::DISubprogram *, std::string> FunctionNames;
  /// Calls of allocation functions by location: calls that the optimiser
  /// rebuilds lose their attributes.
  std::map<Line, Call> Allocations;
  /// Calls of possible wrappers, by location: the caller of the wrapper knows
  /// the type.
  std::map<Line, Call> WrapperCalls;
  /// Functions that only forward a block from an allocation.
  llvm::DenseSet<const llvm::DISubprogram *> Wrappers;
  /// Functions that allocate for their callers (PassedFunctions.h), including
  /// Wrappers.
  llvm::DenseSet<const llvm::DISubprogram *> Passed;
  /// Coroutines by linkage name, before they are split.
  llvm::StringMap<const llvm::DISubprogram *> Coroutines;
  /// Calls before inlining, with accesses=on.
  CallGraph Calls;
  /// Objects counted at each cell, until cells have records.
  CountedObjects Counted;

  /// The original coroutine, for a part that LLVM split off and gave its own
  /// description; \p Subprogram for all others.
  const llvm::DISubprogram *
  asWritten(const llvm::DISubprogram *Subprogram) const;
  bool isCoroutine(const llvm::DISubprogram *Subprogram) const;
  /// As asWritten(), for the function that contains \p Loc.
  const llvm::DISubprogram *functionOf(const llvm::DILocation &Loc) const;
};

/// Reads the attributes below that the early pass set on \p Call; unknown if it
/// set none.
PipelineState::Call readCall(const llvm::CallBase &Call);

/// Adds our passes to \p Builder's pipelines. Safe to call twice for one
/// compilation: modules record which stages have run.
void registerPasses(llvm::PassBuilder &Builder);

/// True on the first call for \p Stage ("early", ...) of \p M.
bool claimStage(llvm::Module &M, llvm::StringRef Stage);

/// Leaves no work for the process that compiles \p M further.
void claimAllStages(llvm::Module &M);

/// True if \p M is compiled for an LTO link. \p LTOPreLink is the pipeline's
/// phase, if known.
bool isBeforeLink(const llvm::Module &M, bool LTOPreLink);

/// Names of string attributes on calls, from the early to the late pass. They
/// survive inlining; metadata does not, because calls become invokes.
inline constexpr llvm::StringLiteral kTypeAttribute = "inmem-type";
/// "KIND,COOKIE,RULE,FLAGS,UNIT" in decimal.
inline constexpr llvm::StringLiteral kSiteAttribute = "inmem-site";
/// "FUNCTION|LINE|COLUMN|FILE" of a call without a debug location (LLVM 16).
inline constexpr llvm::StringLiteral kPlaceAttribute = "inmem-place";
/// The call returns a block that must be assigned to this site afterwards.
inline constexpr llvm::StringLiteral kRetagAttribute = "inmem-retag";
/// The call may return a new block, which __inmem_retag_sized checks.
inline constexpr llvm::StringLiteral kConditionalRetagAttribute =
    "inmem-conditional-retag";
/// "COUNT,INDEX": the count of numbers among the arguments of such a call, and
/// the index (from 1) of the one that names the type.
inline constexpr llvm::StringLiteral kNumbersAttribute = "inmem-numbers";
/// The user excludes this call from instrumentation.
inline constexpr llvm::StringLiteral kSkipAttribute = "inmem-skip";

} // namespace inmem

#endif // INMEM_PLUGIN_IR_PIPELINE_H
