//===- CallLength.h - Whether code leads straight to a call ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_CALLLENGTH_H
#define INMEM_RUNTIME_CALLLENGTH_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// Whether the first instruction from \p Code on that is not done with its
/// successor is a call that returns to \p Return. Reads no byte from there on.
/// False also where an instruction is not known.
bool leadsToCall(uintptr_t Code, uintptr_t Return);

} // namespace inmem::rt

#endif
