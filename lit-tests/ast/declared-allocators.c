// Intent: allocators that the user declared by attribute or named by the option are
// typed at the call; fopen and its like, which only bear the malloc attribute in a
// system header, are left alone.
// RUN: %clang -O0 -fplugin=%plugin -fplugin-arg-inmem-allocators=my_p*l,other \
// RUN:   -Rpass=inmem -Rpass-missed=inmem -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// RUN: %clang -O2 -fplugin=%plugin -fplugin-arg-inmem-allocators=my_p*l,other \
// RUN:   -Rpass=inmem -Rpass-missed=inmem -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>

struct Foo { int a[4]; };
void sink(void *);
void *sized(int flags, size_t n) __attribute__((alloc_size(2)));
void *array(size_t n, size_t m) __attribute__((malloc, alloc_size(1, 2)));
void *fresh(size_t n) __attribute__((malloc));
void *owned(size_t n) __attribute__((ownership_returns(malloc, 1)));
void *my_pool(void *pool, size_t n);
void *unnamed(void *pool, size_t n);
struct Foo *typed(size_t n) __attribute__((malloc));

void test(size_t n, void *pool) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Foo' (custom)
  sink(sized(1, sizeof(struct Foo)));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'double' (custom)
  sink(array(n, sizeof(double)));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Foo' (custom)
  sink((struct Foo *)fresh(n));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Foo' (custom)
  sink((struct Foo *)owned(n));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Foo' (custom)
  sink(my_pool(pool, sizeof(struct Foo)));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Foo' (custom)
  sink(typed(n));
  // NEG-NOT: :[[@LINE+1]]:{{[0-9]+}}: remark
  sink((struct Foo *)unnamed(pool, sizeof(struct Foo)));
  // NEG-NOT: :[[@LINE+1]]:{{[0-9]+}}: remark
  sink(fopen("x", "r"));
}
