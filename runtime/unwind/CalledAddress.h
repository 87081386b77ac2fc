//===- CalledAddress.h - Target of a call or jump ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_CALLEDADDRESS_H
#define INMEM_RUNTIME_CALLEDADDRESS_H

#include "unwind/Unwind.h"

namespace inmem::rt {

/// The function called by the call that ends at \p Address, if the instruction
/// names it; 0: unknown.
uintptr_t calledFunction(CodeAddress Address);

/// True if the code at \p Function is one jump to \p Target, as a tail call
/// with the same arguments is.
bool isJump(uintptr_t Function, uintptr_t Target);

} // namespace inmem::rt

#endif
