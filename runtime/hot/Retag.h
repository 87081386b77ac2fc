//===- Retag.h - Blocks that learn their type after the fact --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_RETAG_H
#define INMEM_RUNTIME_RETAG_H

#include "index/LiveIndex.h"
#include "state/ThreadState.h"

namespace inmem::rt {

/// Gives the block at \p P, if any, to \p Site.
void retag(void *P, struct inmem_site *Site);
/// As retag(), for a pointer known to be a block, not necessarily the newest. A
/// block that has a type keeps it.
void retagOwned(void *P, struct inmem_site *Site);
/// The size requested by a call that may have allocated (__inmem_retag_sized).
struct Request {
  uint64_t Unit, A, B;
  INMEM_INLINE bool explains(uint64_t Size) const {
    auto AsksFor = [Size](uint64_t N) { return Size - N < 16 && N; };
    // Division is slow and rarely needed.
    return Size == Unit || ((AsksFor(A) || AsksFor(B) || AsksFor(A * B)) &&
                            (Unit == 1 || (Unit && Size % Unit == 0)));
  }
};
/// Call when an object of \p Type was constructed at \p P. A block without a
/// type that begins there and is barely larger gets that type.
void becomeObject(void *P, const struct inmem_type *Type);
/// Gives the newest block to \p Site, which has a type, if the request explains
/// its size and it has no type yet.
void retagSized(void *P, struct inmem_site *Site, uint64_t Unit, uint64_t A,
                uint64_t B);

} // namespace inmem::rt

#endif
