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
/* Keep an entry about each block that they make, after it; one through a member. */
struct entry { void *block; struct entry *next; };
static struct entry *entries;
static void keep(void *block) {
  struct entry *made = malloc(sizeof *made);
  made->block = block;
  made->next = entries;
  entries = made;
}
void *kept(int count, size_t size, const char *file, int line) {
  void *block = calloc(count, size);
  if (file && line)
    keep(block);
  return block;
}
struct item { void *block; char *name; size_t *count; };
void *named(size_t count, size_t size, const char *name, int flags) {
  struct item *item = malloc(sizeof *item);
  item->count = malloc(sizeof *item->count);
  *item->count = count;
  if (flags)
    item->block = malloc(2 * count * size);
  else
    item->block = malloc(count * size);
  item->name = malloc(8);
  item->name[0] = *name;
  keep(item);
  return item->block;
}
/* Returns the block that the call before made. */
void *previous(size_t size) {
  static void *last;
  void *result = last;
  last = malloc(size);
  keep(last);
  return result;
}
/* Returns no block that it made, though it made one. */
void *inside(size_t size) {
  char *block = malloc(size + 16);
  keep(block);
  return block + 16;
}
