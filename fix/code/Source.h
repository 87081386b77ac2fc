//===- Source.h - Questions about code and its text -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_SOURCE_H
#define INMEM_FIX_SOURCE_H

#include "fix/code/Unit.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace inmem::fix {

/// True if both ends are written in the spot's file, outside macros.
bool isWritten(const Spot &S, clang::SourceRange R);
/// The text of the tokens from the start of \p R through its end.
std::string textOf(const Spot &S, clang::SourceRange R);
/// The text from \p Begin up to \p End.
std::string textBetween(const Spot &S, clang::SourceLocation Begin,
                        clang::SourceLocation End);
/// The leading whitespace of the line of \p Loc.
std::string indentOf(const Spot &S, clang::SourceLocation Loc);
/// True if only whitespace precedes \p Loc on its line.
bool isFirstOnLine(const Spot &S, clang::SourceLocation Loc);
unsigned lineOf(const Spot &S, clang::SourceLocation Loc);
/// The location after the semicolon that follows \p R; invalid if there is
/// none.
clang::SourceLocation behindSemicolon(const Spot &S, clang::SourceRange R);

/// True if \p Type is a class template or class of namespace std with one of
/// these names.
bool isStd(clang::QualType Type, llvm::ArrayRef<llvm::StringRef> Names);

/// True if the destruction of an object of \p Type has no visible effect: it
/// only frees memory.
bool isQuietlyDestroyed(clang::QualType Type);

/// True if \p Type is std::string, or a reference to it.
bool isCharString(clang::QualType Type);

/// The node that \p Node is part of; null if \p Node is the outermost.
const clang::Stmt *parentOf(const Spot &S, const clang::Stmt &Node);
/// The variable that \p Node initialises directly.
const clang::VarDecl *initialisedBy(const Spot &S, const clang::Stmt &Node);
/// True if \p Node is \p Of or part of it.
bool isWithin(const Spot &S, const clang::Stmt &Node, const clang::Stmt &Of);

/// Calls \p Visit for \p Root and all nodes below it, including those in
/// lambdas. \p Visit returns false to skip the nodes below.
void walk(const clang::Stmt *Root,
          llvm::function_ref<bool(const clang::Stmt &)> Visit);

/// References to \p V in \p Root.
std::vector<const clang::DeclRefExpr *> usesOf(const clang::VarDecl &V,
                                               const clang::Stmt *Root);
/// The local variable or parameter that \p E names; null if it names something
/// else.
const clang::VarDecl *variableOf(const clang::Expr *E);
/// The declaration statement of a local variable; null if it declares several
/// variables, or is in a condition.
const clang::DeclStmt *statementOf(const Spot &S, const clang::VarDecl &V);

/// True if a variable of arithmetic type may change in \p Within: any use other
/// than reading its value counts.
bool mayChange(const Spot &S, const clang::VarDecl &V,
               const clang::Stmt &Within);
/// True if evaluating \p E again has no side effects and gives the same object.
bool isPure(const clang::Expr *E);
/// True if a perfect-forwarding function passes the argument on unchanged.
bool canForward(const clang::Expr &Argument);
/// True if a type is an array of, or a pointer to, characters.
bool isCharacters(clang::QualType Type);
/// True if \p Name is an identifier anywhere in the unit.
bool isTaken(const Spot &S, llvm::StringRef Name);
/// \p Base, with a number appended if that name is taken.
std::string freeName(const Spot &S, const std::string &Base);

/// A call of a container's member, in any syntax.
struct MemberUse {
  const clang::Expr *Call = nullptr;
  const clang::Expr *Object = nullptr; ///< the object it is called on
  std::string Name;                    ///< such as push_back, or operator+=
  bool Arrow = false;                  ///< Object is a pointer
  llvm::SmallVector<const clang::Expr *, 4> Arguments;
  bool IsConst = false; ///< the member function is const
};
/// \returns nullopt if \p E calls no member.
std::optional<MemberUse> memberUse(const clang::Stmt &E);
/// The call of a member of the object that \p Reference names.
std::optional<MemberUse> memberUseOf(const Spot &S,
                                     const clang::Expr &Reference);

} // namespace inmem::fix

#endif // INMEM_FIX_SOURCE_H
