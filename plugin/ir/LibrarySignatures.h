//===- LibrarySignatures.h - the C library's functions by type --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program may have its own function named getline or valloc. It counts as the
// C library's only if its whole signature matches and this unit does not define
// it.
#ifndef INMEM_PLUGIN_IR_LIBRARYSIGNATURES_H
#define INMEM_PLUGIN_IR_LIBRARYSIGNATURES_H

#include "inmem/abi.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

namespace inmem {

/// Result and parameters of a hooked function, one letter each: v void, i int,
/// z an unsigned number of pointer size, s a signed one, p a pointer to
/// anything, c to char, C to a pointer to char, w to wchar_t, Z to a number of
/// pointer size, L to a pointer. A final '.' means that more arguments follow.
/// Empty if \p Name is not a function of the C library.
llvm::StringRef librarySignature(llvm::StringRef Name);

/// A C function that allocates.
struct CAllocator {
  llvm::StringLiteral Name;
  uint8_t Kind; ///< enum inmem_site_kind
  llvm::StringLiteral Signature;
  /// Arguments whose product is the size, the element size first; -1 if unused.
  int SizeArguments[2];
  int AlignArgument; ///< -1: none, or the result is not returned
  bool Replaceable;  ///< see isReplaceable()
};
const CAllocator *findCAllocator(llvm::StringRef Name);

/// True if programs may replace the function: the library's own calls then use
/// the replacement.
bool isReplaceable(llvm::StringRef Name);

/// The C function that \p Name denotes with the prefix of a known allocator
/// (je_malloc); empty for other names.
llvm::StringRef unprefixedAllocator(llvm::StringRef Name);

/// True if \p Type fits the library function \p Name, to the extent that the IR
/// has types.
bool hasLibrarySignature(llvm::StringRef Name, const llvm::FunctionType &Type);

/// Attribute of functions that belong to the program, according to the AST
/// half.
inline constexpr llvm::StringLiteral kForeignAttribute = "inmem-foreign";
/// Attribute of library functions that return a std::string.
inline constexpr llvm::StringLiteral kStringAttribute = "inmem-returns-string";

} // namespace inmem

#endif // INMEM_PLUGIN_IR_LIBRARYSIGNATURES_H
