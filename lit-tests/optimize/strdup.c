// Intent: what the C library allocates for a call is placed by the class of that call, too, in C programs of any kind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: llvm-22
// RUN: %inmem-clang -O2 -g %s -o %t.recorded
// RUN: env INMEM_OPTIONS=stacks=16:clock=events:output=%t.inmem %t.recorded 1000
// RUN: %inmem optimize -q -o %t.yaml %t.inmem
// RUN: %inmem-clang -O2 -I%include -DPLACED -fplugin-arg-inmem-optimize=%t.yaml %s -o %t.exe
// RUN: %t.exe 3000
// RUN: %inmem-clang -O2 -I%include -DPLACED -static -fplugin-arg-inmem-optimize=%t.yaml %s -o %t.static
// RUN: %t.static 3000

#ifdef PLACED
#include "inmem/place.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *kept[3000];

__attribute__((noinline)) static size_t keep(const char *text, int i) {
  kept[i] = strdup(text);
  return strlen(kept[i]);
}

__attribute__((noinline)) static size_t pass(const char *text) {
  char *volatile copy = strdup(text);
  const size_t length = strlen(copy);
  free(copy);
  return length;
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 10;
  size_t sum = 0;
  for (int i = 0; i < rounds; ++i) {
    for (int k = 0; k < 4; ++k)
      sum += pass("a text that goes at once");
    sum += keep("a text that stays until the end", i);
  }
  printf("%zu\n", sum);
#ifdef PLACED
  const size_t placed = inmem_place_stats().blocks;
  printf("placed %zu\n", placed);
  return placed != (size_t)rounds;
#endif
  return 0;
}
