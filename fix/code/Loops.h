//===- Loops.h - Facts about a loop -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_LOOPS_H
#define INMEM_FIX_LOOPS_H

#include "fix/code/Source.h"

namespace inmem::fix {

/// Number of iterations of a loop, as an expression that is valid before the
/// loop.
struct Bound {
  std::string Text;
  bool Signed = false;   ///< may be negative
  bool Constant = false; ///< a number that is not negative
};

bool isLoop(const clang::Stmt &S);
const clang::Stmt *bodyOf(const clang::Stmt &Loop);
/// The innermost loop around \p Node in the function; null outside loops.
const clang::Stmt *loopAround(const Spot &S, const clang::Stmt &Node);
/// The outermost loop around \p Node that does not contain \p V's declaration.
const clang::Stmt *outermostLoop(const Spot &S, const clang::Stmt &Node,
                                 const clang::VarDecl &V);
/// True if a declaration may be inserted before \p Statement: no later label or
/// case would jump past it.
bool canDeclareBefore(const Spot &S, const clang::Stmt &Statement);
/// True if each run of the loop's body evaluates \p Node once.
bool isUnconditional(const Spot &S, const clang::Stmt &Node,
                     const clang::Stmt &Loop);
/// True if a body may exit early: by break, continue, return, goto, throw or a
/// suspension.
bool leavesEarly(const clang::Stmt &Body);
/// \returns nullopt if the bound is unknown, or reading it has side effects.
std::optional<Bound> boundOf(const Spot &S, const clang::Stmt &Loop);

} // namespace inmem::fix

#endif // INMEM_FIX_LOOPS_H
