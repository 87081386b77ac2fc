//===- FieldPaths.h - the bits of an object that an lvalue is ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_FIELDPATHS_H
#define INMEM_PLUGIN_AST_FIELDPATHS_H

#include "ast/CollectorContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseSet.h"

namespace inmem {

/// Follows members, elements of member arrays and conversions to bases from an
/// lvalue to the object that contains it.
class FieldPaths {
public:
  /// Bits of an object of class Owner.
  struct Path {
    const TypeInfo *Owner = nullptr;
    uint64_t FirstBit = 0, Bits = 0;
    bool BitField = false;
  };

  explicit FieldPaths(CollectorContext &C) : C(C), Context(C.Context) {}

  /// The bits that \p E refers to; nullopt for local variables, and for lvalues
  /// outside objects of a class.
  std::optional<Path> resolve(const clang::Expr &E);
  /// As resolve(), but also accepts parts of local variables.
  std::optional<Path> resolveAny(const clang::Expr &E);
  /// All bits of an object of class \p Type; nullopt for other types.
  std::optional<Path> whole(clang::QualType Type);
  /// Adds \p Record to the table; returns null if it is excluded.
  const TypeInfo *owner(const clang::RecordDecl &Record);
  /// True for classes of system headers.
  bool isLibrary(const TypeInfo *Owner) const { return Library.count(Owner); }
  /// \p Field of an object of the class that declares it.
  Path of(const TypeInfo &Owner, const clang::FieldDecl &Field) const;

  /// \p E without parentheses and casts that keep the address.
  static const clang::Expr &plain(const clang::Expr &E);
  /// True for functions like std::move, which return their argument.
  static bool forwards(const clang::CallExpr &E);
  /// True if \p E is a variable, a temporary or a part of one.
  static bool isUncounted(const clang::Expr &E);
  /// True if \p E names a local variable, not a reference.
  static bool isLocal(const clang::Expr &E);
  /// The conversion of an array to its first element; null for other \p E.
  static const clang::CastExpr *decay(const clang::Expr &E);

private:
  /// True for objects of user classes inside library classes, such as the
  /// second of a std::pair.
  bool isOwnInLibrary(const Path &Of, const clang::RecordDecl *Inner);
  std::optional<Path> resolveMember(const clang::MemberExpr &E);
  std::optional<Path> resolveElement(const clang::ArraySubscriptExpr &E);
  uint64_t bitsOf(const clang::FieldDecl &Field) const;

  CollectorContext &C;
  clang::ASTContext &Context;
  llvm::DenseMap<const clang::RecordDecl *, const TypeInfo *> Owners;
  llvm::DenseSet<const TypeInfo *> Library;
  bool Locals = false; ///< resolve() follows local variables, too
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_FIELDPATHS_H
