// Intent: a block that realloc grows or shrinks where it is, in the heap and by mremap, is followed as one that moves:
// counts and bytes are exact, also where the same pages come back for other blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O2 %s -o %t.exe
// RUN: %record %t.json -- %t.exe | %FileCheck %s
// CHECK: in the heap: stayed
// CHECK: mapped: remapped
// CHECK: small but mapped: stayed
// RUN: %expect %t.json \
// RUN:   'types["item"].allocations == 3 + 1 + 60 + 2' \
// RUN:   'types["item"].allocated_bytes == 1000 + 900 + 40 + 200000 + sum(200000 + i * 100000 for i in range(60)) + 5000 + 10' \
// RUN:   'types["item"].frees == types["item"].allocations' 'types["item"].live_bytes == 0' \
// RUN:   'types["other"].allocations == 60' 'types["other"].live_bytes == 0'
// RUN: %record %t.json mode=trace:clock=exact -- %t.exe
// RUN: %expect %t.json 'types["item"].allocations == 66' 'types["item"].frees == 66' 'types["other"].frees == 60' \
// RUN:   'types["item"].lifetime.timed == 66'

#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
  char a[4];
};
struct other {
  char a[8];
};

static void *volatile Sink;

int main(void) {
  struct item *p = malloc(1000);
  struct item *first = p;
  p = realloc(p, 900);
  p = realloc(p, 40);
  printf("in the heap: %s\n", p == first ? "stayed" : "moved");
  free(p);

  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  p = malloc(200000);
  memset(p, 7, 200000);
  int in_mapping = 1;
  for (size_t i = 0; i < 60; ++i) {
    size_t size = 200000 + i * 100000;
    p = realloc(p, size);
    // Takes the pages that the block has left, or those behind it.
    struct other *taken = malloc(150000);
    Sink = memset(taken, 1, 150000);
    in_mapping &= ((char *)p)[0] == 7 && ((size_t)p & 4095) == 16;
    free(taken);
  }
  printf("mapped: %s\n", in_mapping ? "remapped" : "copied");
  free(p);

  mallopt(M_MMAP_THRESHOLD, 4096);
  p = malloc(5000);
  first = p;
  p = realloc(p, 10); // keeps its page
  printf("small but mapped: %s\n", p == first ? "stayed" : "moved");
  free(p);
  return 0;
}
