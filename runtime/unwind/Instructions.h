//===- Instructions.h - Decoder of machine code -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_UNWIND_INSTRUCTIONS_H
#define INMEM_RUNTIME_UNWIND_INSTRUCTIONS_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// True if the first instruction from \p Code on that does not fall through is
/// a call that returns to \p Return. Reads no byte from there on. False also if
/// an instruction is unknown.
bool leadsToCall(uintptr_t Code, uintptr_t Return);

/// True if the function from \p Start to \p End keeps a frame pointer and, at
/// each of its instructions, the stack pointer has the same distance from it in
/// all calls. False also if an instruction is unknown, the function is long, or
/// a part of it is elsewhere.
bool hasFixedFrame(uintptr_t Start, uintptr_t End);

// ReturnedBlock.cpp: Recognises allocation wrappers by their code.

/// The fate of the block that a call in a function returns.
struct ReturnedBlock {
  /// The function returns the block, unchanged or filled by memset, memcpy and
  /// the like.
  bool IsReturned;
  /// The function makes an object of the block and returns that: it stores into
  /// it, calls functions on it, or returns an address after a header.
  bool IsMade;
  /// The call gets a constant as the block's size.
  bool HasConstantSize;
};

/// Examines the function from \p Start to \p End, and its call that returns to
/// \p Return. Follows registers and the stack through the code after the call
/// (x86-64 and AArch64). All results are false if an instruction is unknown.
/// Takes no lock, allocates nothing.
ReturnedBlock followBlock(uintptr_t Return, uintptr_t Start, uintptr_t End);

} // namespace inmem::rt

#endif
