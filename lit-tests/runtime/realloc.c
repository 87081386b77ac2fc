// Intent: a realloc counts as a free and a new block of the whole new size, and keeps the type;
// one that fails leaves its block as it was.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O0  %s -o %t.O0
// RUN: %record %t.O0.json -- %t.O0
// RUN: %expect %t.O0.json \
// RUN:   'types["item"].allocations == 6' \
// RUN:   'types["item"].allocated_bytes == 8 * (1 + 2 + 4 + 8 + 16 + 3)' \
// RUN:   'types["item"].frees == 6' \
// RUN:   'types["item"].live_bytes == 0' \
// RUN:   'types["kept"].allocations == 2' \
// RUN:   'types["kept"].allocated_bytes == 12 + 100' \
// RUN:   'types["item"].peak_live_bytes == 8 * 16'
// RUN: %inmem-clang -O2  %s -o %t.O2
// RUN: %record %t.O2.json -- %t.O2
// RUN: %expect %t.O2.json \
// RUN:   'types["item"].allocations == 6' \
// RUN:   'types["item"].allocated_bytes == 8 * (1 + 2 + 4 + 8 + 16 + 3)' \
// RUN:   'types["item"].frees == 6' \
// RUN:   'types["item"].live_bytes == 0' \
// RUN:   'types["kept"].allocations == 2' \
// RUN:   'types["kept"].allocated_bytes == 12 + 100' \
// RUN:   'types["item"].peak_live_bytes == 8 * 16'

#include <stdint.h>
#include <stdlib.h>

struct item {
  int a, b;
};

struct kept {
  int a, b, c;
};

static struct item *volatile Sink;
static void *volatile Any;
static volatile size_t TooMuch = PTRDIFF_MAX / 2;

int main(void) {
  struct item *items = malloc(sizeof *items);
  Sink = items;
  for (int n = 2; n <= 16; n *= 2) {
    items = realloc(items, (size_t)n * sizeof *items);
    Sink = items;
  }
  items = realloc(items, 3 * sizeof *items);
  Sink = items;
  if (realloc(items, TooMuch))
    return 1;
  free(items);
  Any = (struct kept *)malloc(sizeof(struct kept));
  Any = realloc(Any, 100); /* names no type */
  free(Any);
  return 0;
}
