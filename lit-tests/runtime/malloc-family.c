// Intent: the malloc family in C, with types from casts, sizeof and variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O0  %s -o %t.O0
// RUN: %record %t.O0.json -- %t.O0
// RUN: %expect %t.O0.json \
// RUN:   'types["node"].allocations == 4' \
// RUN:   'types["node"].allocated_bytes == 4 * 16' \
// RUN:   'types["pair"].allocations == 5' \
// RUN:   'types["pair"].live_allocations == 1' \
// RUN:   'totals.allocations == totals.frees + 1' \
// RUN:   'sorted({site["kind"] for site in types["pair"].sites}) == ["aligned", "calloc", "malloc"]'
// RUN: %inmem-clang -O2  %s -o %t.O2
// RUN: %record %t.O2.json -- %t.O2
// RUN: %expect %t.O2.json \
// RUN:   'types["node"].allocations == 4' \
// RUN:   'types["node"].allocated_bytes == 4 * 16' \
// RUN:   'types["pair"].allocations == 5' \
// RUN:   'types["pair"].live_allocations == 1' \
// RUN:   'totals.allocations == totals.frees + 1' \
// RUN:   'sorted({site["kind"] for site in types["pair"].sites}) == ["aligned", "calloc", "malloc"]'

#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>

struct node {
  struct node *next;
  long value;
};
struct pair {
  int a, b;
};
static void *volatile Sink;
static volatile size_t Odd = 3;

int main(void) {
  struct node *list = NULL;
  for (int i = 0; i < 4; ++i) {
    struct node *made = malloc(sizeof *made);
    Sink = made; /* clang may remove what nobody sees */
    made->next = list;
    made->value = i;
    list = made;
  }
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  struct pair *several = calloc(10, sizeof(struct pair));
  Sink = several;
  free(Sink);
  struct pair *aligned = aligned_alloc(64, 64);
  Sink = aligned;
  free(Sink);
  struct pair *by_posix = NULL;
  if (posix_memalign((void **)&by_posix, 64, sizeof *by_posix) != 0)
    return 1;
  Sink = by_posix;
  if (posix_memalign((void **)&by_posix, Odd, sizeof *by_posix) == 0)
    return 1; /* fails, and leaves the pointer as it was */
  free(Sink);
  Sink = (struct pair *)memalign(32, sizeof(struct pair));
  free(Sink);
  Sink = (struct pair *)malloc(sizeof(struct pair)); /* stays */
  return 0;
}
