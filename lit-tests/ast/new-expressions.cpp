// Intent: every form of a new-expression is named by its (element) type, with
// the array cookie where there is one; placement new allocates nothing.
// RUN: %clangxx -O0 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// RUN: %clangxx -O2 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <new>

struct Trivial { int a, b; };
struct Owner { Owner(); ~Owner(); int a; };
struct alignas(64) Wide { char c[64]; };
struct alignas(64) WideOwner { ~WideOwner(); char c[64]; };
template <typename T> struct Box { T value; };
void sink(void *);

void test(std::size_t n, void *raw) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Trivial' (new)
  sink(new Trivial);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Owner' (new)
  sink(new Owner());
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Trivial' (new[])
  sink(new Trivial[n]);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Owner' (new[], cookie 8)
  sink(new Owner[n]);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'int' (new[])
  sink(new int[n][4]);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'const Trivial *' (new[])
  sink(new const Trivial *[n]);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Wide' (new)
  sink(new Wide);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'WideOwner' (new[], cookie 64)
  sink(new WideOwner[n]);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Trivial' (new)
  sink(new (std::nothrow) Trivial);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Box<Box<char>>' (new)
  sink(new Box<Box<char>>);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'void (*)(int)' (new)
  sink(new (void (*)(int)));
  // NEG-NOT: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates
  new (raw) Trivial;
}

// Two in one place of the source, told apart by their template arguments.
template <typename T> void twice() { sink(new T); }
// CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: allocates 'Wide' (new)
// CHECK-DAG: :[[@LINE-2]]:{{[0-9]+}}: remark: allocates 'Owner' (new)
template void twice<Wide>();
template void twice<Owner>();

// CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Trivial' (new)
Trivial *Global = new Trivial;
