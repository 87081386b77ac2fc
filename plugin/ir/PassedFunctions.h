//===- PassedFunctions.h - code that allocates for its callers --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of system headers, implicit ones, and wrappers. Users are
// interested in the callers of these, not in their own lines.
#ifndef INMEM_PLUGIN_IR_PASSEDFUNCTIONS_H
#define INMEM_PLUGIN_IR_PASSEDFUNCTIONS_H

#include "ir/Pipeline.h"

namespace llvm {
class DILocation;
class Function;
} // namespace llvm

namespace inmem {

/// The file name is as in UnitInfo::inDebugInfo().
SourceLoc locationOf(const llvm::DILocation &Loc);

/// Fills State.Passed while all functions still exist: from the AST half's
/// table and options, or without either from names and paths. Other processes
/// read the result from attributes of the functions.
void findPassedFunctions(llvm::Module &M, PipelineState &State);

/// Removes the attributes that findPassedFunctions() added.
void forgetPassedFunctions(llvm::Module &M);

/// As findPassedFunctions(), for a function that was found to be a wrapper.
void addPassedFunction(llvm::Function &F, PipelineState &State);

/// The innermost of the calls inlined around \p Loc that is in user-written
/// code, or null.
const llvm::DILocation *userLocation(const llvm::DILocation *Loc,
                                     const PipelineState &State);

/// True if the callee is skipped when looking for the caller to show, or a C or
/// C++ library declares it.
bool isPassedCallee(const llvm::Function &Callee, const PipelineState &State);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_PASSEDFUNCTIONS_H
