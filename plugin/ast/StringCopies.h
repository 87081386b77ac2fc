//===- StringCopies.h - strings that are copied to be read ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds std::basic_string variables and arguments that are copies of a string
// or of characters, if a view or a reference would suffice: the copy is only
// read, and its source does not change in between. Reports nothing if in doubt.
#ifndef INMEM_PLUGIN_AST_STRINGCOPIES_H
#define INMEM_PLUGIN_AST_STRINGCOPIES_H

#include "ast/CollectorContext.h"
#include "ast/VariableUses.h"
#include "llvm/ADT/DenseSet.h"
#include <map>
#include <set>

namespace inmem {

class StringCopies {
public:
  explicit StringCopies(CollectorContext &C) : C(C) {}

  /// Call after walking \p F; C.Current contains its facts.
  void note(const clang::FunctionDecl &F);
  /// Call after walking all functions: records copies found in every
  /// instantiation of a template.
  void finish();

private:
  /// The source of a constructed string.
  struct Source {
    const clang::Expr *Making = nullptr; ///< the copy, or null
    const clang::Expr *From = nullptr;   ///< a string, view or pointer
    bool Characters = false;             ///< not from a whole string
    bool Literal = false;
  };
  struct Found {
    clang::SourceLocation Loc;
    StringCopyFact Fact;
  };

  Source sourceOf(const clang::Expr &Init) const;
  Source sourceOf(const clang::CXXConstructExpr &E) const;
  bool othersStay() const;
  bool isStable(const clang::Expr &Named) const;
  bool isStable(const clang::DeclRefExpr &E) const;
  bool isStableSource(const Source &S) const;
  bool isStableRange(const clang::CXXForRangeStmt &Loop) const;
  void noteVariable(const clang::VarDecl &V);
  void noteParameter(const clang::FunctionDecl &F, unsigned Index);
  void noteArguments(const clang::FunctionDecl &Callee,
                     llvm::ArrayRef<const clang::Expr *> Arguments,
                     const clang::Expr *Object);
  const clang::VarDecl *
  namedBy(const clang::Expr &E,
          llvm::SmallVectorImpl<const clang::VarDecl *> &Names) const;
  bool isOwnArgument(const Source &S,
                     llvm::ArrayRef<const clang::Expr *> Given) const;
  bool isStableGetter(const clang::CXXMethodDecl &Method) const;
  void countLines();
  bool isAlone(const SourceLoc &Where) const;
  bool isOneOfSeveral(const SourceLoc &Where) const;
  void add(clang::SourceLocation Loc, StringCopyFact Fact);
  uint64_t keyOf(const clang::FunctionDecl &F, unsigned Index);

  CollectorContext &C;
  llvm::SmallVector<Found, 8> All;
  llvm::DenseSet<clang::SourceLocation> Doubtful;
  /// Columns at which strings are constructed, by file and line. kSeveral is
  /// added if a macro constructs several at one column.
  std::map<std::pair<std::string, unsigned>, std::set<unsigned>> Made;
  static constexpr unsigned kSeveral = 1u << 31;
  // Facts of the current function.
  const VariableUses *Uses = nullptr;
  bool ConstThis = false;
  /// The source need only be stable during the call.
  bool InCall = false;
  mutable unsigned References = 0; ///< depth of isStable() calls
  std::string Function;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_STRINGCOPIES_H
