//===- MemoryLeft.h - Memory that the system has left ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_MEMORYLEFT_H
#define INMEM_RUNTIME_MEMORYLEFT_H

#include <stdint.h>

namespace inmem::rt {

/// Bytes that the process may still take before the kernel has to kill
/// something: the least of what its control groups (memory.max) and the system
/// have left. Needs some KiB of stack.
uint64_t memoryLeft();

} // namespace inmem::rt

#endif
