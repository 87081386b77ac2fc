//===- FramePointers.cpp - Walks where there is no unwinder ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/Unwind.h"

namespace inmem::rt {

#if !defined(__x86_64__)
void walkFrom(Unwinder &U, const Registers &At, Walk &Out, unsigned Depth) {
  // Frame pointers, which the platform's procedure call standard asks for.
  uint64_t Hash = Depth;
  uintptr_t Fp = At.Fp, Last = At.Sp;
  Out.Count = 0;
  Out.Hook = 0;
  Out.Lost = false;
  U.Page = 0;
  for (uintptr_t Pc = At.Pc; Out.Count < Depth;) {
    Out.Frames[Out.Count++] = Pc;
    Hash = ((Hash << 5 | Hash >> 59) ^ Pc) * 0x9E3779B97F4A7C15u;
    const auto *Frame = reinterpret_cast<const uintptr_t *>(Fp);
    if (Fp < Last || Fp % 8 != 0 || !isReadable(Frame) ||
        !isReadable(Frame + 1)) {
      Out.Lost = Fp != 0;
      break;
    }
    Last = Fp;
    Fp = Frame[0];
    if (Frame[1] < kPage)
      break;
    Pc = Frame[1] - 1;
  }
  Out.Cut = Out.Count == Depth;
  Out.End = 0;
  Out.Hash = Hash ^ (uint64_t{Out.Cut} << 1 | uint64_t{Out.Lost});
}
#endif

} // namespace inmem::rt
