//===- Arena.h - Blocks of a lifetime class on their own pages --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placed blocks are in one growing range of addresses, so one comparison
// separates them from all others. Slabs (Slab.h) hold blocks of one class,
// densely and from low addresses up, with a bitmap that also catches double
// frees. Each slab belongs to one of a few shards, which threads share; a shard
// has a lock. Empty slabs go to the supply (Supply.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_PLACE_ARENA_H
#define INMEM_PLACE_ARENA_H

#include "Range.h"
#include "inmem/place.h"

#include <stdint.h>

namespace inmem::place {

/// Allocates at most kMostPlaced bytes, aligned to a power of two of at most
/// kMostAlign. \p Class is not INMEM_PLACE_SHORT. Returns null if the range is
/// full; the caller then calls the next allocator.
void *allocate(int Class, size_t Size, size_t Align);

/// Frees a placed block. Aborts on a double free or a pointer into a block.
void release(void *Block);

/// Usable bytes and class of a placed block.
size_t usableSize(const void *Block);
int classOf(const void *Block);

/// Returns all pages of empty slabs, and the pages without blocks of other
/// slabs. \returns whether there were any
bool trim();

/// As trim(), if no slab was taken for a second, so that memory is unlikely to
/// be needed soon. Called every few hundred frees, because we have no thread of
/// our own: a program that stops freeing is not trimmed. \param Ms coarse
/// milliseconds, which wrap
bool trimIfQuiet(uint32_t Ms);

/// Makes fork() take our locks; does nothing if called again. Call as early as
/// possible: handlers registered later run before ours and may wait for threads
/// that allocate.
void prepareForFork();

} // namespace inmem::place

#endif
