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

/// Where in its granule a block of \p Size bytes begins: the index does not
/// show, but glibc's header in front of it does. \p Hint: a candidate address,
/// or 0.
uintptr_t beginOf(Memory &M, uintptr_t Granule, uint64_t Size, uintptr_t Hint);

/// Roughly where the last block before \p Address begins, if not before \p
/// Least; 0: none.
uintptr_t previousBlock(Memory &M, uintptr_t Address, uintptr_t Least);

/// Nanoseconds since its birth; -1: unknown.
int64_t ageOf(uint64_t Birth);

} // namespace inmem::rt

#endif
