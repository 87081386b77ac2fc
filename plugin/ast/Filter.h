//===- Filter.h - code that the user excludes -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The AST's part of include=, exclude=, ignorelist= and of the annotation
// "inmem::ignore" (include/inmem/annotate.h): functions to compile as without
// the plugin, and classes whose objects are not counted. Options decides by
// name which types of blocks are ignored.
#ifndef INMEM_PLUGIN_AST_FILTER_H
#define INMEM_PLUGIN_AST_FILTER_H

#include "PluginOptions.h"
#include "ast/TypeNamer.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"

namespace inmem {

class Filter {
public:
  Filter(clang::ASTContext &Context, const Options &Chosen,
         const PrefixMap &Prefixes)
      : Context(Context), Chosen(Chosen), Namer(Context, Prefixes) {}

  /// True if \p F, or the function that \p F is a closure of, is not
  /// instrumented. \p LinkageName is the name of \p F.
  bool ignores(const clang::FunctionDecl &F, llvm::StringRef LinkageName);
  /// True if the code that initialises globals is not instrumented.
  bool ignoresGlobals() const;
  /// True if objects of \p Class are counted. By default, objects of system
  /// headers are not. Counters would keep the optimiser from folding away their
  /// many tiny functions, and the program would make allocations that it does
  /// not make without us.
  bool counts(const clang::CXXRecordDecl &Class);
  /// True if \p D has the annotation.
  static bool isAnnotated(const clang::Decl &D);

private:
  bool ignoresLocation(clang::SourceLocation Loc) const;
  bool isMainFileListed(llvm::StringRef Prefix) const;

  clang::ASTContext &Context;
  const Options &Chosen;
  TypeNamer Namer;
  llvm::DenseMap<const clang::CXXRecordDecl *, bool> Counted;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_FILTER_H
