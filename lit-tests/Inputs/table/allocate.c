// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Another unit: wrappers whose bodies the caller does not see. */
#include <stdlib.h>

void *xmalloc(size_t size) {
  void *block = malloc(size);
  if (!block)
    abort();
  return block;
}
void *xcalloc(size_t count, size_t size) { return calloc(count, size); }
void *xzalloc_array(size_t count, size_t size, int flags) { return flags ? NULL : calloc(count, size); }
/* No size in sight of the caller's sizeof. */
void *packet(size_t payload) { return malloc(payload + 16); }
/* Hands out parts of a block. */
void *part(size_t size) {
  static char *room;
  static size_t used;
  if (!room)
    room = malloc(4096);
  used += size;
  return room + used - size;
}
