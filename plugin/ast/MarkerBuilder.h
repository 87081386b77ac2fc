//===- MarkerBuilder.h - markers and the calls that they are ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A marker is a call of one of the marker functions, with the index of its
// AstMarker.
#ifndef INMEM_PLUGIN_AST_MARKERBUILDER_H
#define INMEM_PLUGIN_AST_MARKERBUILDER_H

#include "SiteTable.h"
#include "ast/AstBuilder.h"
#include <optional>
#include <vector>

namespace inmem {

class MarkerBuilder {
public:
  MarkerBuilder(clang::ASTContext &Context, SiteTable &Table, AstBuilder &Build)
      : Context(Context), Table(Table), Build(Build) {}

  /// Adds a marker for the objects that \p Owner constructs; \p Part is
  /// evaluated right after it. The caller fills in its AstMarker.
  unsigned add(const clang::Expr &Owner, const clang::Expr &Part);
  /// The marker for the objects that \p Owner constructs.
  std::optional<unsigned> of(const clang::Expr &Owner) const;
  const clang::Expr &part(unsigned Index) const { return *Parts[Index]; }

  /// A marker without the object's address.
  clang::Expr *call(unsigned Index, clang::SourceLocation Loc, Evaluated When);
  /// A marker with the address of \p Object.
  clang::Expr *callAt(unsigned Index, clang::Expr &Object, Evaluated When);
  /// A marker with the address of the object being initialised. Constant
  /// evaluation does not know that address, but does not look into assumptions.
  clang::Expr *callHere(unsigned Index, clang::SourceLocation Loc,
                        bool Assumed);
  /// \p E, passed through the function \p Name, which returns it as \p Type.
  clang::Expr *identity(llvm::StringRef Name, unsigned Index, clang::Expr &E,
                        clang::QualType Type);

private:
  clang::ASTContext &Context;
  SiteTable &Table;
  AstBuilder &Build;
  llvm::DenseMap<const clang::Expr *, unsigned> Indices; ///< by owner
  std::vector<const clang::Expr *> Parts;                ///< by index
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_MARKERBUILDER_H
