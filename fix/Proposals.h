//===- Proposals.h - Findings to proposals ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_PROPOSALS_H
#define INMEM_FIX_PROPOSALS_H

#include "fix/code/Database.h"
#include "fix/code/Edits.h"
#include "fix/verify/CompileCheck.h"

namespace inmem::fix {

/// A finding and the proposal for it.
struct Fix {
  const Finding *Of = nullptr;
  std::string File; ///< absolute; empty if not found
  Proposal What;
  /// Savings of the edit: the sum over this finding and later ones that have
  /// the same edit.
  uint64_t Blocks = 0, Bytes = 0;
  std::vector<std::string> Units; ///< units in which the edit was compiled
  const Fix *With = nullptr;      ///< an earlier fix that includes these edits
};

/// Returns one fix for each finding, in the same order. Each unit is parsed
/// once, and again with the edits; an edit that does not compile is refused.
std::vector<Fix> propose(const Request &R, const Database &D,
                         CompileCheck &Check);

} // namespace inmem::fix

#endif // INMEM_FIX_PROPOSALS_H
