// Intent: a class's own operator new is typed by the class, inlined or not, when it
// forwards a block; one that hands out parts of a pool is not an allocation.
// RUN: %clangxx -O0 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// RUN: %clangxx -O2 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <new>

void sink(void *);
struct Forwards {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates {{memory of unknown type \(malloc\)|'Forwards' \(new\)}}
  static void *operator new(std::size_t n) { return malloc(n); }
  int a[3];
};
struct External { static void *operator new(std::size_t n); int a; };
struct Pooled {
  static void *operator new(std::size_t n) {
    static char *next;
    // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'char' (malloc)
    if (!next) next = (char *)malloc(4096);
    return next += n;
  }
  int a[3];
};
struct Arena { char *at; };
void *operator new(std::size_t n, Arena &arena);

void test(Arena &arena) {
  sink(new Forwards);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'External' (new)
  sink(new External);
  // NEG-NOT: :[[@LINE+1]]:{{[0-9]+}}: remark
  sink(new Pooled);
  // NEG-NOT: :[[@LINE+1]]:{{[0-9]+}}: remark
  sink(new (arena) int);
}
