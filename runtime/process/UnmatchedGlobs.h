//===- UnmatchedGlobs.h - include= and exclude= that match no type --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_UNMATCHEDGLOBS_H
#define INMEM_RUNTIME_UNMATCHEDGLOBS_H

namespace inmem::rt {

/// Prints a line for each glob of include= and exclude= that matches none of
/// the types that loaded code allocates, with the type that may be meant. At
/// the end of the process: libraries may have come later. Locks the mutex.
void reportUnmatchedGlobs();

} // namespace inmem::rt

#endif
