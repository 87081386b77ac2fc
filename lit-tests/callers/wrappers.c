// Intent: wrappers are passed over for their callers: found ones, named ones and marked ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 -fplugin-arg-inmem-wrappers=named,other* %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json wrappers.c | %FileCheck %s
// RUN: not %inmem-clang -fplugin-arg-inmem-wrapers=f -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=BAD
// BAD: valid:{{.*}} wrappers
#include "inmem/annotate.h"
#include <stdlib.h>

#define APART __attribute__((noinline))
void *volatile Sink;

// CHECK: whole
APART void *xmalloc(size_t Bytes) {
  void *P = malloc(Bytes);
  if (!P)
    abort();
  return P;
}
APART void named(void **Into) { *Into = malloc(3); }
APART INMEM_WRAPPER void marked(void **Into) { *Into = malloc(4); }
APART void plain(void **Into) {
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  *Into = malloc(5);
}
int main(void) {
  void *P;
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  Sink = xmalloc(2);
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  named(&P);
  Sink = P;
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  named(&P);
  Sink = P;
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  marked(&P);
  Sink = P;
  plain(&P);
  Sink = P;
  // CHECK-NOT: line
}
