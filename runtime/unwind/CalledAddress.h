//===- CalledAddress.h - Target of a call instruction -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_CALLEDADDRESS_H
#define INMEM_RUNTIME_CALLEDADDRESS_H

#include "unwind/Unwind.h"

namespace inmem::rt {

/// The function called by the call that ends at \p Address, if the instruction
/// names it; 0: unknown.
uintptr_t calledFunction(CodeAddress Address);

} // namespace inmem::rt

#endif
