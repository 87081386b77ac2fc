// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

static inline void *checked(void *block) {
  if (!block)
    abort();
  return block;
}

void *take(unsigned long size) { return checked(malloc(size)); }
void drop(void *block) { free(block); }
