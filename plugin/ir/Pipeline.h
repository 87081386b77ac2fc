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
/// Subprograms are looked at by address only and live as long as the module's
/// context.
struct PipelineState {
  /// An allocating call at a place of a function.
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
  /// Calls of allocation functions by place: calls that the optimiser builds
  /// again lose their attributes.
  std::map<Line, Call> Allocations;
  /// Calls of possible wrappers, by place: the caller of the wrapper knows the
  /// type.
  std::map<Line, Call> WrapperCalls;
  /// Functions that only forward a block they got from an allocation.
  llvm::DenseSet<const llvm::DISubprogram *> Wrappers;
  /// Functions that allocate for their callers (PassedFunctions.h), those among
  /// them.
  llvm::DenseSet<const llvm::DISubprogram *> Passed;
  /// Coroutines by linkage name, before they are split.
  llvm::StringMap<const llvm::DISubprogram *> Coroutines;
  /// Calls before inlining, with accesses=on.
  CallGraph Calls;
  /// Objects counted at each cell, until cells have records.
  CountedObjects Counted;

  /// The coroutine as it was written for a part that LLVM split off, which has
  /// a description by itself; \p Subprogram for all else.
  const llvm::DISubprogram *
  asWritten(const llvm::DISubprogram *Subprogram) const;
  bool isCoroutine(const llvm::DISubprogram *Subprogram) const;
  /// As asWritten(), of the function that \p Loc is in.
  const llvm::DISubprogram *functionOf(const llvm::DILocation &Loc) const;
};

/// Reads what the early pass wrote on \p Call with the attributes below;
/// unknown if it wrote nothing.
PipelineState::Call readCall(const llvm::CallBase &Call);

/// Adds our passes to \p Builder's pipelines. Safe to call twice for one
/// compilation: modules remember what was done to them.
void registerPasses(llvm::PassBuilder &Builder);

/// True the first time it is called for \p Stage ("early", ...) of \p M.
bool claimStage(llvm::Module &M, llvm::StringRef Stage);

/// Leaves nothing to do for the process that continues with \p M.
void claimAllStages(llvm::Module &M);

/// True if \p M is compiled for an LTO link, as the pipeline says if it knows.
bool isBeforeLink(const llvm::Module &M, bool LTOPreLink);

/// Names of string attributes on calls, from the early to the late pass. They
/// survive inlining, which metadata does not (calls become invokes).
inline constexpr llvm::StringLiteral kTypeAttribute = "inmem-type";
/// "KIND,COOKIE,RULE,FLAGS,UNIT" in decimal.
inline constexpr llvm::StringLiteral kSiteAttribute = "inmem-site";
/// "FUNCTION|LINE|COLUMN|FILE" of a call without a debug location (LLVM 16).
inline constexpr llvm::StringLiteral kPlaceAttribute = "inmem-place";
/// The call returns a block that must be given to this site afterwards.
inline constexpr llvm::StringLiteral kRetagAttribute = "inmem-retag";
/// The call may return a new block: __inmem_retag_sized asks.
inline constexpr llvm::StringLiteral kConditionalRetagAttribute =
    "inmem-conditional-retag";
/// "COUNT,INDEX" of the numbers among the arguments of such a call, and of the
/// one (from 1) that names the type.
inline constexpr llvm::StringLiteral kNumbersAttribute = "inmem-numbers";
/// The user wants this call left alone.
inline constexpr llvm::StringLiteral kSkipAttribute = "inmem-skip";

} // namespace inmem

#endif // INMEM_PLUGIN_IR_PIPELINE_H
