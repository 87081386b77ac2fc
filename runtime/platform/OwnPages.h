//===- OwnPages.h - Memory mapped by the runtime for itself -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel merges adjacent mappings, so /proc/self/maps does not show which
// pages are the runtime's. Mappings.cpp enters each range here. Callable from
// signal handlers; each range belongs to one thread at a time.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OWNPAGES_H
#define INMEM_RUNTIME_OWNPAGES_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

struct OwnRange {
  uintptr_t Start, End;
  /// A forked child gets zeroed pages: it cannot see which are resident.
  bool IsWiped;
  /// Mapped in a snapshot's child, so not in the process that it describes.
  bool IsOfChild;
};

/// Enters a range, which replaces earlier entries for the same addresses.
void noteOwnPages(const void *Start, size_t Bytes);
/// Removes a range, or the part of one.
void forgetOwnPages(const void *Start, size_t Bytes);
/// Sets IsWiped of the range that begins at \p Start.
void markOwnWiped(const void *Start, bool IsWiped);
/// From now on new ranges belong to the child alone.
void beginPagesOfChild();
/// Calls \p Visit with each range, in no order.
void forEachOwnRange(void (*Visit)(void *Context, const OwnRange &),
                     void *Context);

// MemoryLeft.cpp: Memory that the system has left.

/// Bytes that the process may still take before the kernel has to kill a
/// process: the least that is left in its control groups (memory.max) and in
/// the system. Needs some KiB of stack.
uint64_t memoryLeft();

} // namespace inmem::rt

#endif
