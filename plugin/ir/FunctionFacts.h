//===- FunctionFacts.h - functions that may be instrumented -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_IR_FUNCTIONFACTS_H
#define INMEM_PLUGIN_IR_FUNCTIONFACTS_H

#include "SiteTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace llvm {
class Module;
}

namespace inmem {

/// True if a function has a body that may be instrumented.
inline bool isInstrumentable(const llvm::Function &F) {
  return !F.isDeclaration() && !F.hasFnAttribute(llvm::Attribute::Naked) &&
         !F.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation);
}

/// Inlines \p F at every call, even without optimisation.
inline void inlineAlways(llvm::Function &F) {
  F.removeFnAttr(llvm::Attribute::OptimizeNone);
  F.removeFnAttr(llvm::Attribute::NoInline);
  F.addFnAttr(llvm::Attribute::AlwaysInline);
}

// ExcludedFunctions.cpp: functions that are not instrumented.
//
// The AST half names the functions that the user excludes. Functions that clang
// outlines from them (OpenMP regions, blocks) are excluded too, even though
// their names may not show their origin.

class ExcludedFunctions {
public:
  explicit ExcludedFunctions(const SiteTable &Table) : Table(Table) {}

  /// Call while functions are as clang emitted them: follows references to
  /// outlined functions.
  bool contains(const llvm::Function &F);

private:
  const SiteTable &Table;
  llvm::DenseMap<const llvm::Function *, bool> TakenOut;
};

// Structors.cpp: constructors and destructors by variant.

/// To count objects, clang emits the complete variant (C1, D1) of a structor as
/// a function that calls the base variant (C2, D2), instead of an alias. Clang
/// knows that the base variant does not throw, but not that its caller does
/// not. So this marks complete variants as nothrow if calls would otherwise use
/// the base variant: whether a call may throw determines the contents of a
/// coroutine's frame.
void markCompleteStructors(llvm::Module &M);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_FUNCTIONFACTS_H
