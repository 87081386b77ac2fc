//===- VerifyPatches.h - Trials of patches ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FIX_VERIFYPATCHES_H
#define INMEM_FIX_VERIFYPATCHES_H

#include "fix/PatchOutput.h"

namespace inmem::fix {

/// Tries each patch alone, then all that are kept together. Prints a table to
/// standard output, progress to standard error. With an output folder, patches
/// that were kept and what was measured go there, and what was measured before
/// is not measured again.
/// \returns the exit code; 128 + N after signal N
llvm::Expected<int> verify(const Request &R, const std::vector<Fix> &All);

} // namespace inmem::fix

#endif // INMEM_FIX_VERIFYPATCHES_H
