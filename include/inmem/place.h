/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libinmem_place puts blocks that are predicted to live long on separate pages.
 * `inmem optimize` predicts, and the compiler passes the class at each call
 * (docs/optimize.md). The library defines malloc's family; it forwards
 * allocations without a class to the next allocator.
 *
 * A class is a hint: a wrong one costs locality, never correctness. Every block
 * can be passed to free, realloc, malloc_usable_size and operator delete. */
#ifndef INMEM_PLACE_H
#define INMEM_PLACE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Predicted lifetime of a block. */
enum inmem_place_class {
  INMEM_PLACE_SHORT = 0, /* no hint */
  INMEM_PLACE_PHASE =
      1, /* much longer than a request, not as long as the run */
  INMEM_PLACE_STEADY = 2 /* as long as the run, or nearly */
};

/* As values of LLVM's __hot_cold_t, where lower is colder: steady up
 * to the first, phase up to the second. */
#define INMEM_PLACE_HINT_STEADY 63
#define INMEM_PLACE_HINT_PHASE 127

/** As the functions that they are named after, plus the class as last argument.
 */
void *__inmem_place_malloc(size_t size, int place_class);
void *__inmem_place_calloc(size_t count, size_t size, int place_class);
void *__inmem_place_realloc(void *block, size_t size, int place_class);
void *__inmem_place_aligned_alloc(size_t align, size_t size, int place_class);

/** Sets the class of the calling thread's next allocation by any function. */
void __inmem_place_expect(int place_class);

/** Live placed blocks, their bytes, and the bytes of the slabs that hold them.
 */
struct inmem_place_stats {
  size_t blocks, bytes, page_bytes;
};
struct inmem_place_stats inmem_place_stats(void);

#ifdef __cplusplus
}
#endif
#endif
