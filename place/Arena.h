//===- Arena.h - Blocks of one lifetime class, apart --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One range of addresses that grows, in slabs of 64 KiB. A slab holds blocks of
// one size and one class, and a bitmap of those that are taken, so that blocks
// lie dense, from low addresses on, and a second free is noticed. Threads share
// slabs by shard, each with a lock. Whether a block is ours is one comparison.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLACE_ARENA_H
#define INMEM_PLACE_ARENA_H

#include "inmem/place.h"

#include <stdint.h>

namespace inmem::place {

constexpr size_t kMostPlaced = 8192; ///< larger blocks have pages of their own
constexpr size_t kMostAlign = 64;

/// Where slabs are; empty before the first placed block. The base is written
/// once, the size grows.
extern uintptr_t RangeBase, RangeBytes;

inline bool isPlaced(const void *Block) {
  return reinterpret_cast<uintptr_t>(Block) -
             __atomic_load_n(&RangeBase, __ATOMIC_RELAXED) <
         __atomic_load_n(&RangeBytes, __ATOMIC_RELAXED);
}

/// A block of \p Size bytes at most kMostPlaced, aligned to \p Align (a power
/// of two at most kMostAlign), of a class that is not short. Null if there is
/// no room: the caller asks the allocator behind.
void *allocate(int Class, size_t Size, size_t Align);

/// \p Block is placed. Aborts if it is no block, or free already.
void release(void *Block);

/// Bytes that may be used of a placed block, and its class.
size_t usableSize(const void *Block);
int classOf(const void *Block);

} // namespace inmem::place

#endif
