// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* annotate.h - annotations for inmem's compiler plugin.
 *
 * Plain C and C++, needs nothing; everything expands to nothing on compilers
 * other than clang, and means nothing without the plugin. */
#ifndef INMEM_ANNOTATE_H
#define INMEM_ANNOTATE_H

#ifdef __clang__

/** On a function: do not instrument it. Blocks that it allocates have unknown
 * type, as in uninstrumented libraries, and its objects are not counted. On a
 * class: do not count its objects; its blocks have no site.
 *
 *   INMEM_IGNORE void warm_up(void);
 *   struct INMEM_IGNORE Token { ... };
 */
#define INMEM_IGNORE __attribute__((annotate("inmem::ignore")))

/** INMEM_IGNORE for all functions and classes declared between the two. */
/* _Pragma takes a single string literal. clang-format would break it. */
/* clang-format off */
#define INMEM_IGNORE_BEGIN                                                     \
  _Pragma("clang attribute push(__attribute__((annotate(\"inmem::ignore\"))), apply_to = any(function, record))")
/* clang-format on */
#define INMEM_IGNORE_END _Pragma("clang attribute pop")

/** On a function that allocates for its callers, such as xmalloc: reports name
 * the line that calls it. Functions that only return what they allocated need
 * no annotation.
 *
 *   INMEM_WRAPPER void *node_alloc(size_t size);
 */
#define INMEM_WRAPPER __attribute__((annotate("inmem::wrapper")))

#else
#define INMEM_IGNORE
#define INMEM_WRAPPER
#define INMEM_IGNORE_BEGIN
#define INMEM_IGNORE_END
#endif

#endif
