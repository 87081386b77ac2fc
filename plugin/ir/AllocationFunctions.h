//===- AllocationFunctions.h - functions known by name ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pure look-ups: which functions are hooked, which return memory that the
// caller owns, and what the optimiser may assume about each. The names are from
// abi.h.
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

/// Prefix of the declarations that replace allocation functions defined in the
/// unit, until the late pass.
inline constexpr llvm::StringLiteral kOwnPrefix = "__inmem_own_f_";

/// Prefix of the functions that replace the callees of musttail calls.
inline constexpr llvm::StringLiteral kJumpName = "__inmem_jump";

/// The entry for linkage name \p Name, or null. An allocator with a known
/// prefix (LibrarySignatures.h) shares the entry of the C function.
const HookedFunction *findHookedFunction(llvm::StringRef Name);

/// The hooked function that \p Call calls directly, or null. Functions of the
/// same name but local linkage or another signature do not count.
const HookedFunction *hookedCallee(const llvm::CallBase &Call);

/// The function type that \p Call uses. If a library function is declared
/// without parameters, uses the types of the arguments. 32-bit sizes, as in
/// `void *malloc(unsigned)`, count as sizes.
llvm::FunctionType *calledType(const llvm::CallBase &Call);

/// A library function that returns memory owned by the caller.
struct OwningFunction {
  llvm::StringRef Name;
  llvm::StringRef TypeKey; ///< mangled type name, "" if not char-like
  int ResultArgument;      ///< the block is stored there; -1: returned
  int NullArgument;        ///< owned only if this argument is null; -1: always
  bool ByStatus;           ///< the stored pointer counts only for results >= 0
  /// scandir: the key of the array type; TypeKey is the pointee of its
  /// elements.
  llvm::StringRef ArrayKey = {};
};

/// The entry for linkage name \p Name, or null.
const OwningFunction *findOwningFunction(llvm::StringRef Name);

/// The entry for \p Call, if its arguments make the caller own the memory:
/// getcwd(NULL, 0), but not getcwd(buffer, size).
const OwningFunction *owningCallee(const llvm::CallBase &Call);

/// The function called directly, looking through casts and aliases; null if
/// unknown.
llvm::Function *directCallee(const llvm::CallBase &Call);

// OwnAllocators.cpp: allocation functions that the unit defines.
//
// A call of malloc in the unit that defines it could be inlined, or dropped if
// the function has no visible effect, before the late pass turns it into a hook
// call. So the early pass redirects it to a declaration. The late pass
// redirects it back to the definition, through a hook.

/// Redirects calls that the late pass will instrument to declarations.
void hideOwnAllocators(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

/// The function to pass to a hook for \p Call: the definition, if the call was
/// redirected to a declaration, or an allocator with a prefix. Otherwise null.
llvm::Function *ownAllocator(const llvm::CallBase &Call);

/// Redirects calls that were not instrumented back to the definition.
void revealOwnAllocators(llvm::Module &M);

/// Replaces the musttail call \p Call by a call of a new function that contains
/// it. \returns the contained call, which may get more arguments.
llvm::CallBase &callThroughJump(llvm::CallBase &Call);

// References.cpp: a module's references to allocation functions.
//
// In a plain build, a call of malloc reaches the function that the linker and
// the loader select for that module: the program's own, one hidden by a version
// script, or the one that --wrap names. Instrumented code calls a hook instead.
// So each module lists the targets of its references in rows of struct
// inmem_reference. If the hook calls another function, the module also has a
// function that replaces the hook (docs/abi.md).

/// Adds the row for the hook of \p Type that replaces calls of \p Original, and
/// the function that may replace the hook. Idempotent. \p From selects
/// `__inmem_from_f`.
void addReference(const HookedFunction &Hooked, llvm::Function &Original,
                  llvm::FunctionType *Type, bool From);

/// Adds rows that list the instrumented allocation functions of \p M.
void addDefinitions(llvm::Module &M);

/// The hook `__inmem_by_f` that corresponds to the hook of \p Type.
llvm::FunctionCallee calleeBy(llvm::Module &M, const HookedFunction &Hooked,
                              llvm::FunctionType *Type, bool From);

} // namespace inmem

#endif // INMEM_PLUGIN_IR_ALLOCATIONFUNCTIONS_H
