//===- UnwindTables.h - Ways out of a frame, by its file's tables ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads .eh_frame_hdr and .eh_frame (DWARF 5 section 6.4 and the LSB) of loaded
// files. Nothing here allocates or locks.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_UNWINDTABLES_H
#define INMEM_RUNTIME_UNWINDTABLES_H

#include "platform/Mappings.h"
#include "unwind/Unwind.h"

namespace inmem::rt {

/// The row for \p Address; Unknown if the tables have none.
UnwindRow readUnwindRow(uintptr_t Address);

/// The function around \p Address; empty: unknown.
AddressRange functionRange(CodeAddress Address);
/// The start of the function around \p Address; 0: unknown.
inline uintptr_t functionStart(CodeAddress Address) {
  return functionRange(Address).Start;
}
/// True if, at each instruction of the function around \p Address, the stack
/// pointer has a fixed distance from the frame pointer (Instructions.h).
bool isInFixedFrame(CodeAddress Address);
/// True if this is the kernel's frame around a signal handler.
bool isSignalFrame(CodeAddress Address);

// CalledAddress.cpp: Target of a call or jump.

/// The function called by the call that ends at \p Address, if the instruction
/// contains its address; 0: unknown.
uintptr_t calledFunction(CodeAddress Address);

/// True if the code at \p Function is a single jump to \p Target, as a tail
/// call with the same arguments is.
bool isJump(uintptr_t Function, uintptr_t Target);

} // namespace inmem::rt

#endif
