//===- Loops.h - Facts about a loop -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_LOOPS_H
#define INMEM_FIX_LOOPS_H

#include "fix/code/Source.h"

namespace inmem::fix {

/// Number of iterations of a loop, as an expression before the loop.
struct Bound {
  std::string Text;
  bool Signed = false;   ///< may be negative
  bool Constant = false; ///< a number, not negative
};

bool isLoop(const clang::Stmt &S);
const clang::Stmt *bodyOf(const clang::Stmt &Loop);
/// The innermost loop around \p Node; null: none in its function.
const clang::Stmt *loopAround(const Spot &S, const clang::Stmt &Node);
/// The outermost loop around \p Node that does not contain \p V's declaration.
const clang::Stmt *outermostLoop(const Spot &S, const clang::Stmt &Node,
                                 const clang::VarDecl &V);
/// True if a declaration may be put before \p Statement: no label or case that
/// follows would be jumped to past it.
bool canDeclareBefore(const Spot &S, const clang::Stmt &Statement);
/// True if each run of the loop's body evaluates \p Node once.
bool isUnconditional(const Spot &S, const clang::Stmt &Node,
                     const clang::Stmt &Loop);
/// True if a body may be left, or cut short, by break, continue, return, goto,
/// throw or a suspension.
bool leavesEarly(const clang::Stmt &Body);
/// nullopt: it is not known, or reading it would do more.
std::optional<Bound> boundOf(const Spot &S, const clang::Stmt &Loop);

} // namespace inmem::fix

#endif // INMEM_FIX_LOOPS_H
