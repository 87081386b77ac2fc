// Intent: in C++ the cast around malloc names the block, and a class's sizeof wins
// over the base class it is handled by.
// RUN: %clangxx -O0 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>

struct Base { int a; };
struct Derived : Base { int b; };
namespace outer { inline namespace v2 { struct Inner { long l; }; } }
void sink(void *);

template <typename T> T *raw(std::size_t n) {
  return static_cast<T *>(std::malloc(n * sizeof(T)));
}

void test(std::size_t n, bool choose) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Base' (malloc)
  sink((Base *)malloc(n));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Derived' (malloc)
  Base *b = (Base *)malloc(sizeof(Derived)); sink(b);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'outer::Inner' (malloc)
  sink(reinterpret_cast<outer::Inner *>(std::malloc(n)));
  // CHECK-DAG: :[[@LINE-10]]:{{[0-9]+}}: remark: allocates 'Derived' (malloc)
  sink(raw<Derived>(n));
  // CHECK-DAG: :[[@LINE-12]]:{{[0-9]+}}: remark: allocates 'float' (malloc)
  sink(raw<float>(n));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Base' (allocator)
  sink(static_cast<Base *>(::operator new(n)));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Derived' (allocator)
  sink(__builtin_operator_new(n * sizeof(Derived)));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates memory of unknown type (allocator)
  sink(::operator new(n));
}
