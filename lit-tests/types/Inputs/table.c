/* C for table.test: wrappers, an untyped cast, flexible ends, merged calls.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

struct item {
  struct item *next;
  int value[7];
};
struct blob {
  size_t size;
  char bytes[];
};

void *xmalloc(size_t size) {
  void *block = malloc(size);
  if (!block)
    abort();
  return block;
}

struct item *make_item(struct item *next) {
  struct item *one = xmalloc(sizeof *one);
  one->next = next;
  return one;
}

struct blob *make_blob(size_t size) {
  struct blob *one = malloc(sizeof *one + size);
  one->size = size;
  return one;
}

int *make_ints(size_t count) {
  int *all = calloc(count, sizeof(int));
  return all ? all + 1 : NULL;
}

char *copy(const char *text) {
  char *all = strdup(text);
  return all ? all + 1 : NULL;
}

/* Two types of one size: their calls can be made one. */
struct first {
  long value[3];
};
struct second {
  double value[3];
};
void *either(int which) {
  char *block;
  if (which)
    block = (char *)(struct first *)malloc(sizeof(struct first));
  else
    block = (char *)(struct second *)malloc(sizeof(struct second));
  return block + 8;
}

int main(void) {
  struct item *list = NULL;
  for (int i = 0; i < 10; ++i)
    list = make_item(list);
  return list && make_blob(10) && make_ints(4) && copy("x") && either(1) ? 0 : 1;
}
