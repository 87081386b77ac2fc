//===- Reads.h - Code that only reads, and changes nothing else -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_READS_H
#define INMEM_FIX_READS_H

#include "fix/code/Edits.h"

namespace inmem::fix {

/// True if every use of \p V in \p Root reads it, or calls a const member of it
/// or of its members.
bool isOnlyRead(const Spot &S, const clang::VarDecl &V,
                const clang::Stmt *Root);

/// True if \p Root changes only local variables: it calls only library
/// functions, and their non-const members only on local variables.
bool isQuiet(const Spot &S, const clang::Stmt *Root);

/// The unit's facts about a function with a parameter that could become a
/// reference.
struct Callee {
  std::string Why; ///< why it cannot become one; empty if it can
  /// Other units may call the function. They compile without changes.
  bool IsKnownElsewhere = false;
  /// Arguments that the unit's calls pass for the parameter.
  std::vector<const clang::Expr *> Given;
};
/// Checks that the unit's code uses \p Function only in direct, non-virtual
/// calls, by one name. \param Index of the parameter
Callee calleeOf(const Spot &S, const clang::FunctionDecl &Function,
                unsigned Index);

/// The text of a variable's type, without const, for a reference to it.
std::string referenceTo(const Spot &S, const clang::VarDecl &V);

/// Gives parameter \p Index the type \p Type in all declarations of the
/// function; an empty type means a const reference to its current type.
/// \returns why it cannot; empty on success.
std::string declareAs(const Spot &S, const clang::FunctionDecl &Function,
                      unsigned Index, llvm::StringRef Type, Editor &E);

/// A note about callers in other units of the database; empty if there are
/// none.
std::string otherCallers(const Spot &S, const clang::FunctionDecl &Function,
                         const Callee &C);

} // namespace inmem::fix

#endif // INMEM_FIX_READS_H
