//===- AllocTypeInference.h - what a size or pointer tells ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pure functions: from the expressions around an allocation to the type of
// what is allocated. A null type means unknown; none of them guesses.
#ifndef INMEM_PLUGIN_AST_ALLOCTYPEINFERENCE_H
#define INMEM_PLUGIN_AST_ALLOCTYPEINFERENCE_H

#include "inmem/abi.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace inmem {

/// char and its kin, by which programs mean raw bytes.
bool isByteLike(clang::QualType Type);

/// Storage for whatever is constructed in it: bytes, what std::aligned_storage
/// and its kin name, std::max_align_t; arrays of these.
bool isRawStorage(clang::QualType Type);

/// What a pointer type points to; null for void and for other types.
clang::QualType pointee(clang::QualType Pointer);

/// Of the destinations seen from outside in (\p Outer) and nearer to the call
/// (\p Inner): the nearer one, unless it says only "bytes".
///   (Foo *)(char *)malloc(n)  ->  Foo
clang::QualType nearerDestination(clang::QualType Outer, clang::QualType Inner);

/// Types whose sizeof a size is made of, leftmost first, arrays by element.
struct SizeTypes {
  bool Sum = false; ///< the size is a sum: more than whole objects
  llvm::SmallVector<clang::QualType, 2> Direct;
  /// Through what a local variable was given.
  llvm::SmallVector<clang::QualType, 2> ByVariable;

  bool names(clang::QualType Type) const;
  /// The first class; null if there is none.
  clang::QualType firstClass() const;
};

/// Collects from a size expression:
///   sizeof(T)   n * sizeof(T)   sizeof(T) + n   sizeof *p   offsetof(T, m) + n
///   size_t s = n * sizeof(T); malloc(s)
/// \p Assigned: what variables were given last, after their initialiser.
using Assignments = llvm::DenseMap<const clang::VarDecl *, const clang::Expr *>;
void collectSizeTypes(const clang::Expr *Size, const Assignments &Assigned,
                      SizeTypes &Result, unsigned Depth = 0);

/// An allocated type and how it was found.
struct TypeChoice {
  clang::QualType Type; ///< null: unknown
  uint8_t Rule = INMEM_RULE_NONE;
  /// Another rule names a type that has nothing to do with it.
  bool Disagree = false;
};

/// The allocated type, given the size's types and the \p Destination that the
/// pointer is converted to (null if unknown):
///   1. the destination, if its own sizeof is part of the size;
///   2. the first class in the size: (Base *)malloc(sizeof(Derived));
///   3. the destination, unless it is byte-like;
///   4. the first type in the size that is not byte-like;
///   5. the same through a variable;
///   6. the destination or size that says bytes.
TypeChoice chooseAllocatedType(const SizeTypes &Sizes,
                               clang::QualType Destination,
                               const clang::ASTContext &Context);

} // namespace inmem

#endif // INMEM_PLUGIN_AST_ALLOCTYPEINFERENCE_H
