// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* annotate.h - what the source itself tells inmem's compiler plugin.
 *
 * Plain C and C++, needs nothing; everything expands to nothing on compilers
 * other than clang, and means nothing without the plugin. */
#ifndef INMEM_ANNOTATE_H
#define INMEM_ANNOTATE_H

#ifdef __clang__

/** On a function: it is compiled as without inmem; blocks that it makes itself
 * are of unknown type, as those of a library, and objects that it makes are not
 * counted. On a class: its objects are not counted and blocks of it have no
 * site.
 *
 *   INMEM_IGNORE void warm_up(void);
 *   struct INMEM_IGNORE Token { ... };
 */
#define INMEM_IGNORE __attribute__((annotate("inmem::ignore")))

/** The same for all functions and classes that are declared between the two. */
/* _Pragma takes a single string literal. clang-format would break it. */
/* clang-format off */
#define INMEM_IGNORE_BEGIN                                                     \
  _Pragma("clang attribute push(__attribute__((annotate(\"inmem::ignore\"))), apply_to = any(function, record))")
/* clang-format on */
#define INMEM_IGNORE_END _Pragma("clang attribute pop")

/** On a function that allocates for its callers, as xmalloc does: reports name
 * the line that calls it. Functions that only return what they allocated are
 * found without.
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
