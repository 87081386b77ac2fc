//===- IndexReturn.h - Memory of the index that is needed no more ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_INDEXRETURN_H
#define INMEM_RUNTIME_INDEXRETURN_H

#include "platform/Compiler.h"

namespace inmem::rt {

/// If the heap has shrunk: returns the index's empty pages to the system.
/// \p OwnsGuard as in liveFell.
void considerReturningIndex(bool OwnsGuard);

} // namespace inmem::rt

#endif
