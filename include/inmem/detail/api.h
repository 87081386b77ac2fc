// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* api.h - how inmem's C headers declare functions: weak, so that their
 * addresses are null in a program without the runtime. The runtime, which
 * defines them, defines INMEM_API first. */
#ifndef INMEM_DETAIL_API_H
#define INMEM_DETAIL_API_H

#ifndef INMEM_API
#define INMEM_API __attribute__((weak))
#endif

#endif
