// Intent: functions that only hand out a block they got from an allocation pass the
// naming on to their callers, inlined or not; a function that does more does not.
// RUN: %clang -O0  -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// RUN: %clang -O2  -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

struct Foo { int a[4]; };
void sink(void *);
void abort_now(void);

__attribute__((noinline)) void *xmalloc(size_t n) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates memory of unknown type (malloc)
  void *p = malloc(n);
  if (!p)
    abort_now();
  return p;
}
__attribute__((noinline)) void *twice_wrapped(size_t n) { return xmalloc(n + 1); }
// CHECK-DAG: :[[@LINE+2]]:{{[0-9]+}}: remark: allocates 'Foo' (custom)
static inline __attribute__((always_inline))
void *inlined(size_t n) { void *p = calloc(1, n); if (!p) abort_now(); return p; }

// The caller gets the inside of the block, so its type says nothing about it.
__attribute__((noinline)) void *with_header(size_t n) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'char' (custom)
  char *p = (char *)xmalloc(n + 16);
  return p + 16;
}
void *cached;
__attribute__((noinline)) void *from_cache(size_t n) {
  if (!cached)
    // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates memory of unknown type (malloc)
    cached = malloc(n);
  return cached;
}

void test(size_t n) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Foo' (custom)
  sink((struct Foo *)xmalloc(n));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Foo' (custom)
  struct Foo *foo = twice_wrapped(n * sizeof *foo); sink(foo);
  sink((struct Foo *)inlined(n));
  // NEG-NOT: :[[@LINE+1]]:{{[0-9]+}}: remark
  sink((struct Foo *)with_header(n));
  // NEG-NOT: :[[@LINE+1]]:{{[0-9]+}}: remark
  sink((struct Foo *)from_cache(n));
}
