//===- CallTargets.h - What an instruction calls --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_CALLTARGETS_H
#define INMEM_RUNTIME_CALLTARGETS_H

#include "unwind/Unwind.h"

namespace inmem::rt {

/// The function called by the call that ends at \p Address, if the instruction
/// names it; 0: unknown.
uintptr_t calledFunction(CodeAddress Address);

} // namespace inmem::rt

#endif
