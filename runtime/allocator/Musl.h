//===- Musl.h - Functions of musl's allocator that call its others --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// musl's calloc calls malloc, and its memalign, posix_memalign and valloc call
// aligned_alloc, by names that the loader or --wrap bind to our functions: a
// block would count twice. musl has no pvalloc. The functions here do the same
// work with `Real.malloc` and `Real.aligned_alloc`, which call no function of
// ours.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_MUSL_H
#define INMEM_RUNTIME_MUSL_H

#include <stddef.h>

namespace inmem::rt::musl {

void *calloc(size_t Count, size_t Size);
void *memalign(size_t Align, size_t Size);
int posix_memalign(void **Result, size_t Align, size_t Size);
void *valloc(size_t Size);
void *pvalloc(size_t Size);

} // namespace inmem::rt::musl

#endif
