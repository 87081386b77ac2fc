// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Another unit: functions that store a block where they are told. */
#include <stdlib.h>

int store(void **to, size_t size) {
  void *block = malloc(size);
  if (!block)
    return -1;
  *to = block;
  return 0;
}
int store_array(void **to, size_t count, size_t size, int flags) {
  *to = flags ? NULL : calloc(count, size);
  return *to ? 0 : -1;
}
/* Part of a block. */
int store_part(void **to, size_t size) {
  char *block = malloc(size + 64);
  *to = block + 64;
  return 0;
}
int store_nothing(void **to, size_t size) { return to && size; }
/* A block of another size than the one that is asked for. */
int store_other(void **to, size_t size) {
  *to = malloc(3 * size + 40);
  return 0;
}
