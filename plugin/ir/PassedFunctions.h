//===- PassedFunctions.h - code that allocates for its callers --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of system headers, implicit ones, and wrappers. Users want to know
// the callers of these, not their own lines.
#ifndef INMEM_PLUGIN_IR_PASSEDFUNCTIONS_H
#define INMEM_PLUGIN_IR_PASSEDFUNCTIONS_H

#include "ir/Pipeline.h"

namespace llvm {
class DILocation;
class Function;
} // namespace llvm

namespace inmem {

/// The file is named as UnitInfo::inDebugInfo() names it.
SourceLoc locationOf(const llvm::DILocation &Loc);

/// Fills State.Passed while all functions are still there: by the AST half's
/// table, by options, and without either by names and paths. Other processes
/// find the answer on the functions.
void findPassedFunctions(llvm::Module &M, PipelineState &State);

/// Removes the attributes that findPassedFunctions() added.
void forgetPassedFunctions(llvm::Module &M);

/// As above, for functions that were found to be wrappers.
void addPassedFunction(llvm::Function &F, PipelineState &State);

/// The innermost of the calls inlined around \p Loc that is in code the user
/// wrote, or null.
const llvm::DILocation *userLocation(const llvm::DILocation *Loc,
                                     const PipelineState &State);

/// True if a call's target is code that is passed over, or is declared by a C
/// or C++ library.
bool isPassedCallee(const llvm::Function &Callee, const PipelineState &State);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_PASSEDFUNCTIONS_H
