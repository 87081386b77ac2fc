//===- Malloc.h - The part of malloc that the operators need ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_PLACE_MALLOC_H
#define INMEM_PLACE_MALLOC_H

#include <stddef.h>

namespace inmem::place {

/// Allocates a placed block; null if it is too large, or the range is full.
void *placeBlock(int Class, size_t Size, size_t Align);

/// True if the process's malloc and free reach us. Otherwise placed blocks
/// would be freed by an allocator that does not know them.
bool servesProcess();

/// True if a function is in the same object as the next allocator.
bool isOfAllocator(const void *Function);

// DeleteOperators.cpp: Operators of the next allocator.

/// True if the next allocator has its own operator new and operator delete, and
/// calls of operator delete come to us first. Then hinted operators new may
/// return placed blocks without calling the allocator's.
bool passesOperators();

} // namespace inmem::place

#endif
