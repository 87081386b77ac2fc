//===- Proposals.h - Findings to proposals ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_PROPOSALS_H
#define INMEM_FIX_PROPOSALS_H

#include "Database.h"
#include "Edits.h"

namespace inmem::fix {

/// A finding with what could be done about it.
struct Fix {
  const Finding *Of = nullptr;
  std::string File; ///< absolute; empty: not found
  Proposal What;
  /// Saving of the edit, from its findings: this one, and later ones that it
  /// serves as well.
  uint64_t Blocks = 0, Bytes = 0;
};

/// One for each finding, in their order. Each unit is parsed once.
std::vector<Fix> propose(const Request &R, const Database &D);

} // namespace inmem::fix

#endif // INMEM_FIX_PROPOSALS_H
