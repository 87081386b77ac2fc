// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* code_name.h - the name of a function by its address. Part of threads_api.h
 * and budget.h; needs no standard header.
 */
#ifndef INMEM_DETAIL_CODE_NAME_H
#define INMEM_DETAIL_CODE_NAME_H

#include "api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The linkage name of the function around \p code, or `file+0x12`, cut to \p
 * room bytes with the final NUL. \returns its length, 0 if nothing is known. */
INMEM_API __SIZE_TYPE__ inmem_code_name(const void *code, char *name,
                                        __SIZE_TYPE__ room);

#ifdef __cplusplus
} // extern "C"
#endif

#endif
