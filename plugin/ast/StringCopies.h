//===- StringCopies.h - strings that are copied to be read ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds variables and arguments of std::basic_string that are made of another
// string or of characters while a view or a reference would do: nobody changes
// them, and their source stays as it is. In doubt it is silent.
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

  /// \p F has been walked: C.Current is what was gathered of it.
  void note(const clang::FunctionDecl &F);
  /// Once every function has been walked: what holds in all instances of a
  /// template goes into the table.
  void finish();

private:
  /// What a string is made of.
  struct Source {
    const clang::Expr *Making = nullptr; ///< the copy; null: it is none
    const clang::Expr *From = nullptr;   ///< a string, view or pointer
    bool Characters = false;             ///< not a whole string
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
  bool isAlone(const SourcePlace &Place) const;
  bool isOneOfSeveral(const SourcePlace &Place) const;
  void add(clang::SourceLocation Loc, StringCopyFact Fact);
  uint64_t keyOf(const clang::FunctionDecl &F, unsigned Index);

  CollectorContext &C;
  llvm::SmallVector<Found, 8> All;
  llvm::DenseSet<clang::SourceLocation> Doubtful;
  /// Columns in which strings are made, by file and line; a macro that makes
  /// several in one adds kSeveral to it.
  std::map<std::pair<std::string, unsigned>, std::set<unsigned>> Made;
  static constexpr unsigned kSeveral = 1u << 31;
  // Of the function that is looked at.
  const VariableUses *Uses = nullptr;
  bool ConstThis = false;
  /// What matters is whether it stays as it is during one call.
  bool InCall = false;
  mutable unsigned References = 0; ///< that isStable() has followed
  std::string Function;
};

} // namespace inmem

#endif // INMEM_PLUGIN_AST_STRINGCOPIES_H
