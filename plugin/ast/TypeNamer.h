//===- TypeNamer.h - spelling of types in reports ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the canonical C++ spelling of types. Clang's printer is unsuitable:
// names must be the same with LLVM 16, 19 and 22, omit inline namespaces, and
// distinguish local and anonymous types.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLUGIN_AST_TYPENAMER_H
#define INMEM_PLUGIN_AST_TYPENAMER_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>

namespace inmem {

// PrefixMap.cpp: -fdebug-prefix-map.

struct PrefixMap {
  /// Clang tries them in this order.
  llvm::SmallVector<std::pair<std::string, std::string>, 2> Prefixes;

  /// \p File with the first matching prefix replaced.
  std::string mapped(llvm::StringRef File) const;
};

// TypeNamer.cpp: spelling of types in reports.

class TypeNamer {
public:
  TypeNamer(clang::ASTContext &Context, const PrefixMap &Prefixes)
      : Context(Context), Prefixes(Prefixes) {}

  /// The spelling of \p Type's canonical type.
  std::string name(clang::QualType Type);
  /// A function with its scope, template arguments and parameter types.
  std::string functionName(const clang::FunctionDecl &Function);
  /// "file:line:column", with the file as passed to the compiler and prefixes
  /// mapped.
  std::string location(clang::SourceLocation Loc);

private:
  std::string declarator(clang::QualType Type, std::string Inner);
  std::string scope(const clang::DeclContext *DC);
  std::string tagName(const clang::TagDecl &Tag);
  std::string arguments(llvm::ArrayRef<clang::TemplateArgument> Args,
                        const clang::TemplateParameterList *Parameters);
  void argument(const clang::TemplateArgument &Arg,
                llvm::SmallVectorImpl<std::string> &Result);
  std::string parameterTypes(const clang::FunctionProtoType &Type);
  std::string declName(const clang::NamedDecl &D);

  clang::ASTContext &Context;
  const PrefixMap &Prefixes;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_TYPENAMER_H
