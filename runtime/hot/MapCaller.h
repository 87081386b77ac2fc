//===- MapCaller.h - Whose mapping it is ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_MAPCALLER_H
#define INMEM_RUNTIME_MAPCALLER_H

#include "state/ThreadRows.h"

namespace inmem::rt {

enum class Mapper : uint8_t {
  Program,
  CLibrary,
  Allocator ///< another malloc; its blocks are counted
};

/// Source of the call of mmap that returns to \p Return, saved at \p Back. \p T
/// has rows. With the guard, without the mutex; may change errno.
Mapper mapperOf(ThreadState &T, uintptr_t Return, const uintptr_t *Back);

} // namespace inmem::rt

#endif
