//===- AllocTypeInference.h - types from sizes and pointers -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pure functions that infer a block's type from the expressions around its
// allocation. A null type means unknown. The pointer's type and the types in
// the size are trusted. If two sizes are possible, neither is.
#ifndef INMEM_PLUGIN_AST_ALLOCTYPEINFERENCE_H
#define INMEM_PLUGIN_AST_ALLOCTYPEINFERENCE_H

#include "inmem/abi.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace inmem {

/// char and similar types, which programs use for raw bytes.
bool isByteLike(clang::QualType Type);

/// Storage for any object constructed in it: bytes, std::aligned_storage and
/// related types, std::max_align_t, and arrays of these.
bool isRawStorage(clang::QualType Type);

/// A type such as struct { int n; char text[1]; } may be allocated longer. A
/// type that ends in an array of the maximum length may be allocated shorter.
bool hasOpenEnd(clang::QualType Type, const clang::ASTContext &Context);

/// True if \p Type ends in an array without a size, so that arrays of \p Type
/// do not exist.
bool endsInFlexibleArray(clang::QualType Type);

/// The pointee of a pointer type; null for void and for other types.
clang::QualType pointee(clang::QualType Pointer);

/// Chooses between two destinations, seen from outside in (\p Outer) and nearer
/// to the call (\p Inner): the nearer one, unless it says only "bytes".
///   (Foo *)(char *)malloc(n)  ->  Foo
clang::QualType nearerDestination(clang::QualType Outer, clang::QualType Inner);

/// Types of the sizeof expressions in a size, leftmost first, arrays by
/// element.
struct SizeTypes {
  bool Sum = false; ///< the size is a sum: more than whole objects
  llvm::SmallVector<clang::QualType, 2> Direct;
  /// As Direct, through the value of a local variable.
  llvm::SmallVector<clang::QualType, 2> ByVariable;
  /// Types in Direct and ByVariable that a sum contains once, not n times.
  llvm::SmallVector<clang::QualType, 1> Addends;
  /// Types of alternatives in the size expression: ambiguous, so none is used.
  llvm::SmallVector<clang::QualType, 2> Either;
  /// The size, or its minimum; nullopt if unknown.
  std::optional<uint64_t> Bytes;
  /// True if a variable has no value yet.
  bool Unset = false;

  bool names(clang::QualType Type) const;
  /// True if the size is a sum of one \p Type and something else.
  bool holdsOne(clang::QualType Type) const;
  /// The first class, or null.
  clang::QualType firstClass() const;
  bool empty() const {
    return Direct.empty() && ByVariable.empty() && Either.empty();
  }
};

/// True if a block of \p Bytes has room for a \p Type, or its size is unknown.
/// A struct that ends in an array may be allocated shorter.
bool hasRoom(std::optional<uint64_t> Bytes, clang::QualType Type,
             const clang::ASTContext &Context);

/// A size that is either \p One or \p Other.
SizeTypes either(const SizeTypes &One, const SizeTypes &Other);

/// Sizes that a local integer variable may hold at this point; null if unknown.
using VariableSizes =
    llvm::function_ref<const SizeTypes *(const clang::VarDecl &)>;

/// Collects from a size expression:
///   sizeof(T)   n * sizeof(T)   sizeof(T) + n   sizeof *p   offsetof(T, m) + n
///   size_t s = n * sizeof(T); malloc(s)
/// \p Times: the size is multiplied by something else.
void collectSizeTypes(const clang::Expr *Size, VariableSizes Variables,
                      SizeTypes &Result, bool Times = false);
/// The value of a size, or its minimum; nullopt if unknown.
std::optional<uint64_t> knownBytes(const clang::Expr &Size,
                                   VariableSizes Variables,
                                   const clang::ASTContext &Context);
/// Types and bytes of a size.
SizeTypes sizeTypes(const clang::Expr &Size, VariableSizes Variables,
                    const clang::ASTContext &Context);

/// An allocated type and how it was found.
struct TypeChoice {
  clang::QualType Type; ///< null: unknown
  uint8_t Rule = INMEM_RULE_NONE;
  /// Another rule suggests an unrelated type.
  bool Disagree = false;
};

/// The allocated type, given the size's types and the \p Destination that the
/// pointer is converted to (null if unknown):
///   1. the destination, if its own sizeof is part of the size;
///   2. the first class in the size: (Base *)malloc(sizeof(Derived));
///   3. the destination, unless it is byte-like;
///   4. the first type in the size that is not byte-like;
///   5. the first such type, through a variable;
///   6. a byte-like destination or size.
/// A destination larger than the block does not count.
TypeChoice chooseAllocatedType(const SizeTypes &Sizes,
                               clang::QualType Destination,
                               const clang::ASTContext &Context);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_ALLOCTYPEINFERENCE_H
