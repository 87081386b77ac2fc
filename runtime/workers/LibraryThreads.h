//===- LibraryThreads.h - Threads as the C library counts them ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_LIBRARYTHREADS_H
#define INMEM_RUNTIME_LIBRARYTHREADS_H

#include <stdint.h>

namespace inmem::rt {

/// Threads that the C library has started and that have not ended; the process
/// ends with the last of them. 0: unknown.
uint32_t countLibraryThreads();

} // namespace inmem::rt

#endif
