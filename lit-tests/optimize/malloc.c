// Intent: the pass alone, with any LLVM: C's allocations are placed where what was inlined around them decides, or
// who calls the function that makes them, and nothing else is; what a sanitizer allocates is left alone; the profile's lines count from the function's first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O2 -I%include -fplugin-arg-inmem-optimize=%S/Inputs/malloc.yaml %s -o %t.exe
// RUN: %t.exe 5
// RUN: %inmem-clang -O2 -static -I%include -fplugin-arg-inmem-optimize=%S/Inputs/malloc.yaml %s -o %t.static
// RUN: %t.static 5
// RUN: %inmem-clang -O2 -I%include -fplugin-arg-inmem-optimize=%S/Inputs/malloc.yaml -Rpass=inmem -c %s -o %t.o 2>&1 | \
// RUN:   %FileCheck %s --check-prefix=REMARK
// Without inlining each caller names the class before its call.
// RUN: %inmem-clang -O2 -DNOT_INLINED -I%include -fplugin-arg-inmem-optimize=%S/Inputs/malloc.yaml %s -o %t.exe
// RUN: %t.exe 5
// RUN: %inmem-clang -O0 -I%include -fplugin-arg-inmem-optimize=%S/Inputs/malloc.yaml -S -emit-llvm %s -o - | \
// RUN:   %FileCheck %s --check-prefix=IR
// RUN: %inmem-clang -fsanitize=address -I%include -fplugin-arg-inmem-optimize=%S/Inputs/malloc.yaml -S -emit-llvm %s \
// RUN:   -o - | %FileCheck %s --check-prefix=SANITIZED
// RUN: %inmem-clang -fsanitize=address -DAPART -I%include -fplugin-arg-inmem-optimize=%S/Inputs/malloc.yaml -S -emit-llvm \
// RUN:   %s -o - | %FileCheck %s --check-prefix=SANITIZED
// RUN: %inmem-clang -fsanitize=leak -I%include -fplugin-arg-inmem-optimize=%S/Inputs/malloc.yaml -S -emit-llvm %s -o - | \
// RUN:   %FileCheck %s --check-prefix=SANITIZED
// RUN: %inmem-clang -fsanitize=hwaddress -I%include -fplugin-arg-inmem-optimize=%S/Inputs/malloc.yaml -S -emit-llvm %s \
// RUN:   -o - | %FileCheck %s --check-prefix=SANITIZED
// Objects that place in a program with a sanitizer: its malloc allocates, and nothing is placed.
// RUN: %inmem-clang -O1 -I%include -fplugin-arg-inmem-optimize=%S/Inputs/malloc.yaml -c %s -o %t.o
// RUN: %if asan %{ %inmem-clang -fsanitize=address -fplugin-arg-inmem-optimize=%S/Inputs/malloc.yaml %t.o -o %t.exe %}
// RUN: %if asan %{ env ASAN_OPTIONS=detect_leaks=0 %t.exe 0 %}
// REMARK: malloc.c:{{[0-9]+}}:10: remark: places its blocks with blocks of the steady class [-Rpass=inmem]
// IR: call {{.*}}@__inmem_place_calloc({{.*}}, i32 2)
// IR: call {{.*}}@__inmem_place_realloc({{.*}}, i32 1)
// SANITIZED-NOT: __inmem_place

#include "inmem/place.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef NOT_INLINED
#define WAY __attribute__((noinline))
#else
#define WAY __attribute__((always_inline))
#endif

void *volatile kept[8];

static WAY void *take(void) {
  return malloc(40);
}

static void keep(int i) {
  kept[i] = take();
}

static void pass(void) {
  void *volatile block = take();
  free(block);
}

#ifdef APART
__attribute__((no_sanitize("address")))
#endif
int main(int argc, char **argv) {
  for (int i = 0; i < 2; ++i) {
    keep(i);
    pass();
  }
  kept[2] = calloc(10, 10);
  kept[3] = realloc(NULL, 100);
  kept[4] = aligned_alloc(64, 128);
  kept[5] = malloc(10);
  const size_t placed = inmem_place_stats().blocks;
  printf("placed %zu\n", placed);
  return placed == (size_t)atoi(argc > 1 ? argv[1] : "0") ? 0 : 1;
}
