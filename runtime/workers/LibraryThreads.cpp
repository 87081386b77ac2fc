//===- LibraryThreads.cpp - Threads as the C library counts them ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "workers/OwnThread.h"

#include "platform/Interpose.h"

#ifdef INMEM_STATIC
/// glibc's own counter, which debuggers read.
extern "C" const unsigned __nptl_nthreads __attribute__((weak));
#endif

namespace inmem::rt {

#ifndef INMEM_STATIC
namespace {
/// Not by a direct reference, which would require a private symbol version of
/// glibc. Before glibc 2.34 it cannot be found.
INMEM_NEXT_SYMBOL(LibraryThreads, "__nptl_nthreads");
} // namespace
#endif

uint32_t countLibraryThreads() {
#ifdef INMEM_STATIC
  const unsigned *Count = &__nptl_nthreads;
#else
  const auto *Count = static_cast<const unsigned *>(LibraryThreads.Found);
#endif
  return Count ? __atomic_load_n(Count, __ATOMIC_ACQUIRE) : 0;
}

} // namespace inmem::rt
