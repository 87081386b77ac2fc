//===- LinkageNames.h - linkage names of declarations -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLUGIN_AST_LINKAGENAMES_H
#define INMEM_PLUGIN_AST_LINKAGENAMES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/AST/Mangle.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <string>

namespace inmem {

class LinkageNames {
public:
  /// \p UniqueInternal: -funique-internal-linkage-names, which also mangles C
  /// names. Its suffix is not included.
  LinkageNames(clang::ASTContext &Context, bool UniqueInternal)
      : Mangler(Context.createMangleContext()) {
    if (UniqueInternal)
      Mangler->needsUniqueInternalLinkageNames();
  }

  std::string mangled(clang::GlobalDecl D);
  /// Returns the complete-object variant of constructors and destructors.
  std::string linkageName(const clang::FunctionDecl &F);
  /// All functions that clang may emit for \p F.
  llvm::SmallVector<std::string, 3> linkageNames(const clang::FunctionDecl &F);

  clang::MangleContext &mangler() { return *Mangler; }

private:
  std::unique_ptr<clang::MangleContext> Mangler;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_LINKAGENAMES_H
