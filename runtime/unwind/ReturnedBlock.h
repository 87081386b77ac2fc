//===- ReturnedBlock.h - Allocation wrappers, by their code -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_UNWIND_RETURNEDBLOCK_H
#define INMEM_RUNTIME_UNWIND_RETURNEDBLOCK_H

#include <stdint.h>

namespace inmem::rt {

/// The fate of the block that a call in a function returns.
struct ReturnedBlock {
  /// It returns the block: as it is, or filled by memset, memcpy and their
  /// like.
  bool IsReturned;
  /// It makes an object of the block and returns that: it stores into it, calls
  /// functions on it, or returns an address behind a header.
  bool IsMade;
  /// The call gets a constant for the block's size.
  bool HasConstantSize;
};

/// Examines the function from \p Start to \p End, and its call that returns to
/// \p Return. Follows registers and the stack through the code behind the call
/// (x86-64 and AArch64). False also where an
/// instruction is not known. Takes no lock, allocates nothing.
ReturnedBlock followBlock(uintptr_t Return, uintptr_t Start, uintptr_t End);

} // namespace inmem::rt

#endif
