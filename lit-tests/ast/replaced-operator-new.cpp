// Intent: a program's own operator new takes part like the library's, and is not inlined.
// RUN: %clangxx -O0 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <new>

struct Foo { int a[10]; };
void sink(void *);
void *operator new(std::size_t n) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates memory of unknown type (malloc)
  void *p = malloc(n);
  if (!p)
    throw std::bad_alloc();
  return p;
}
// CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Foo' (new)
void test() { sink(new Foo); }
