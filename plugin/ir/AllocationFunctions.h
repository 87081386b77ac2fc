//===- AllocationFunctions.h - functions known by name ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pure look-ups: which functions are hooked, which return strings they own, and
// which assumptions the optimiser may make of each. The names are from abi.h.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLUGIN_IR_ALLOCATIONFUNCTIONS_H
#define INMEM_PLUGIN_IR_ALLOCATIONFUNCTIONS_H

#include "inmem/abi.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace inmem {

/// A function that the runtime has a hook for.
struct HookedFunction {
  llvm::StringRef Name;
  llvm::StringRef Hook; ///< the hook's name
  bool Frees;
  uint8_t Kind;           ///< enum inmem_site_kind of its calls
  llvm::StringRef Family; ///< LLVM's alloc-family
  llvm::AllocFnKind AllocKind;
  int PointerArgument; ///< the block freed or resized; -1: none
  int AlignArgument;   ///< -1: none
  uint32_t Number = 0; ///< enum inmem_hook
};

/// Until the late pass, calls of allocation functions that the unit defines go
/// to a declaration with this prefix (AllocationFunctions.h).
inline constexpr llvm::StringLiteral kOwnPrefix = "__inmem_own_f_";

/// Functions that musttail calls lead to begin with it (AllocationFunctions.h).
inline constexpr llvm::StringLiteral kJumpName = "__inmem_jump";

/// The entry for linkage name \p Name, or null. An allocator with a known
/// prefix (LibrarySignatures.h) has the entry of C's function.
const HookedFunction *findHookedFunction(llvm::StringRef Name);

/// The hooked function that \p Call calls directly, or null. Functions of the
/// same name but local linkage or another signature do not count.
const HookedFunction *hookedCallee(const llvm::CallBase &Call);

/// The type by which \p Call calls its callee. For a library function that is
/// declared without parameters, the types of its arguments. Sizes of 32 bits,
/// as in `void *malloc(unsigned)`, count as sizes.
llvm::FunctionType *calledType(const llvm::CallBase &Call);

/// A library function that returns memory which the caller owns.
struct OwningFunction {
  llvm::StringRef Name;
  llvm::StringRef TypeKey; ///< mangled type name, "" if not char-like
  int ResultArgument;      ///< the block is stored there; -1: returned
  int NullArgument;        ///< owned only if this argument is null; -1: always
  bool ByStatus;           ///< the stored pointer counts only for results >= 0
  /// scandir: the key of the array; TypeKey is its elements' pointee.
  llvm::StringRef ArrayKey = {};
};

/// The entry for linkage name \p Name, or null.
const OwningFunction *findOwningFunction(llvm::StringRef Name);

/// The entry for \p Call, if its arguments make the caller own the memory:
/// getcwd(NULL, 0), but not getcwd(buffer, size).
const OwningFunction *owningCallee(const llvm::CallBase &Call);

/// The function called directly, through casts and aliases; null if unknown.
llvm::Function *directCallee(const llvm::CallBase &Call);

// OwnAllocators.cpp: allocation functions that the unit defines.
//
// A call of malloc in the unit that defines it would be inlined, or dropped
// where the optimiser sees that the function has no effect, before the late
// pass turns it into one of a hook. The early pass therefore sends it to a
// declaration, and the late pass back to the definition, by way of a hook.

/// Sends calls that the late pass will instrument to declarations.
void hideOwnAllocators(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

/// The function to pass to a hook for \p Call: the definition, if the call was
/// sent to a declaration, or an allocator with a prefix. Else null.
llvm::Function *ownAllocator(const llvm::CallBase &Call);

/// Sends calls that were not instrumented back to the definition.
void revealOwnAllocators(llvm::Module &M);

/// Replaces \p Call, a musttail call, by one of a new function that makes the
/// call. \returns that call, which may get more arguments.
llvm::CallBase &callThroughJump(llvm::CallBase &Call);

// References.cpp: a module's references to allocation functions.
//
// A plain build's call of malloc reaches what the linker and the loader make of
// the name for that module: the program's own, one that a version script
// hides, the one that --wrap names. Code here calls a hook instead, so each
// module says in rows of struct inmem_reference what its own references
// resolve to, and brings a function that takes the hook's place if that is not
// what the hook calls (docs/abi.md).

/// Adds the row for the hook of \p Type that replaces calls of \p Original, and
/// the function that may take its place. Idempotent. \p From: of
/// `__inmem_from_f`.
void addReference(const HookedFunction &Hooked, llvm::Function &Original,
                  llvm::FunctionType *Type, bool From);

/// Adds rows that list the instrumented allocation functions of \p M.
void addDefinitions(llvm::Module &M);

/// The hook `__inmem_by_f`, for the hook of \p Type.
llvm::FunctionCallee calleeBy(llvm::Module &M, const HookedFunction &Hooked,
                              llvm::FunctionType *Type, bool From);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_ALLOCATIONFUNCTIONS_H
