//===- Unit.h - A parsed translation unit -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_UNIT_H
#define INMEM_FIX_UNIT_H

#include "fix/RequestFile.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"

#include <memory>

namespace clang {
class ASTUnit;
namespace tooling {
class CompilationDatabase;
}
} // namespace clang
namespace clang {
class ASTContext;
class Decl;
class Stmt;
} // namespace clang

namespace inmem::fix {

class Database;

/// A unit compiled with its command from the database, but without inmem's
/// plugin.
class Unit {
public:
  /// \returns an error that says why the unit cannot be parsed.
  static llvm::Expected<Unit> parse(const clang::tooling::CompilationDatabase &,
                                    const std::string &File);
  ~Unit();
  Unit(Unit &&) noexcept;

  clang::ASTContext &context() const;
  const clang::SourceManager &sources() const;
  /// The file with this absolute path; invalid if the unit does not include it,
  /// or includes it more than once.
  clang::FileID fileOf(llvm::StringRef Path) const;

private:
  Unit();
  std::unique_ptr<clang::ASTUnit> Ast;
};

/// Input of a rule: a finding and the code at its line.
struct Spot {
  clang::ASTContext &Context;
  const clang::SourceManager &SM;
  const Finding &F;
  clang::FileID File;
  const Database *Units = nullptr; ///< the whole program's; null if unknown
  /// The innermost function or lambda with the line in its definition; null if
  /// there is none.
  const clang::FunctionDecl *Function = nullptr;
  /// Nodes of the function that cover the line, outermost first.
  std::vector<const clang::Stmt *> At;

  template <typename Node> std::vector<const Node *> all() const {
    std::vector<const Node *> Out;
    for (const clang::Stmt *S : At)
      if (const auto *N = llvm::dyn_cast<Node>(S))
        Out.push_back(N);
    return Out;
  }
};

/// \returns the code at the finding's line, or why it cannot be edited: the
/// line is in a template, in generated code, or outside any function.
llvm::Expected<Spot> spotOf(const Unit &U, const Finding &F,
                            const std::string &Path);

// Visitor.cpp: a walk over user-written code.

/// Walks a unit, parents first, without implicit code and template
/// instantiations. Rules derive from it: a separate clang::RecursiveASTVisitor
/// for each rule would cost seconds of compile time.
class Visitor {
public:
  virtual ~Visitor() = default;
  void walk(clang::ASTContext &Context);
  /// \returns whether to continue
  virtual bool visitDecl(clang::Decl &) { return true; }
  virtual bool visitStmt(clang::Stmt &) { return true; }
};

} // namespace inmem::fix

#endif // INMEM_FIX_UNIT_H
