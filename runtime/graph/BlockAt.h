//===- BlockAt.h - The live block that contains an address ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_BLOCKAT_H
#define INMEM_RUNTIME_BLOCKAT_H

#include "graph/ObjectMemory.h"
#include "index/LiveIndex.h"

namespace inmem::rt {

struct LiveBlock {
  uintptr_t Begin = 0;
  uint64_t Size = 0; ///< requested bytes
  uint32_t Site = 0;
  uint64_t Birth = 0; ///< as Block::birth()
  uintptr_t end() const { return Begin + Size; }
  bool contains(uintptr_t Address) const { return Address - Begin < Size; }
};

/// The live block that contains \p Address; false if none is known.
bool findBlock(Memory &M, uintptr_t Address, LiveBlock &Found);

/// The address in its granule at which a block of \p Size bytes begins. The
/// index does not record it; glibc's header in front of the block shows it. \p
/// Hint: a candidate address, or 0.
uintptr_t beginOf(Memory &M, uintptr_t Granule, uint64_t Size, uintptr_t Hint);

/// Roughly the address at which the last block before \p Address begins; 0 if
/// there is none from \p Least on.
uintptr_t previousBlock(Memory &M, uintptr_t Address, uintptr_t Least);

/// Nanoseconds since \p Birth; -1: unknown.
int64_t ageOf(uint64_t Birth);

} // namespace inmem::rt

#endif
