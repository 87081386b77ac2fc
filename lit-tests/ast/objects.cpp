// Intent: each construction is counted once, by where the object lives and how it came
// about; bases, delegation and elided copies are no objects of their own.
// RUN: %clangxx -O0 -std=c++17 -Xclang -mno-constructor-aliases -fplugin=%plugin -Rpass=inmem-objects -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// RUN: %clangxx -O2 -std=c++17 -Xclang -mno-constructor-aliases -fplugin=%plugin -Rpass=inmem-objects -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// RUN: %clangxx -O2 -std=c++17 -Xclang -mno-constructor-aliases -fplugin=%plugin -fplugin-arg-inmem-objects=off -Rpass=inmem-objects -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck --allow-empty --check-prefix=SILENT %s
// RUN: %clangxx -O2 -std=c++17 -Xclang -mno-constructor-aliases -fplugin=%plugin -fplugin-arg-inmem-objects=heap -Rpass=inmem-objects -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck --check-prefix=HEAP %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <new>
#include <utility>

struct V { V(); V(int); V(const V &); V(V &&); ~V(); int x; };
struct Base { Base(); ~Base(); };
struct Derived : Base {
  // NEG-NOT: 'Base'
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'V' (member, convert)
  Derived() : member(3) {}
  // NEG-NOT: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'Derived'
  Derived(int) : Derived() {}
  V member;
};
struct Pair { V first, second; };
void sink(void *);
void take(V);

// CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'V' (static, default)
V global;
// CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'V' (thread, convert)
thread_local V per_thread(1);

// The caller decides where it lives.
// CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'V' (unknown, convert)
V returned() { return V(1); }

void test(void *raw) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'V' (stack, default)
  V a;
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'V' (stack, copy)
  V b(a);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'V' (stack, move)
  V c = std::move(a);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'V' (stack, convert)
  take(V(2));
  // CHECK-DAG: :[[@LINE+2]]:{{[0-9]+}}: remark: counts constructions of 'V' (heap, default)
  // HEAP-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'V' (heap, default)
  sink(new V[3]);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'Derived' (heap, convert)
  sink(new Derived(1));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'V' (placed, convert)
  new (raw) V(5);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'V' (static, default)
  static V local;
  // CHECK-DAG: :[[@LINE+2]]:{{[0-9]+}}: remark: counts constructions of 'V' (member, convert)
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts constructions of 'Pair' (stack, aggregate)
  Pair pair{V(1), V(2)}; sink(&pair);
  // One object, made by the callee.
  // NEG-NOT: :[[@LINE+2]]:{{[0-9]+}}: remark: counts constructions
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: counts returned objects of 'V' (stack)
  V one = returned(); sink(&one);
}
// CHECK-DAG: remark: counts destructions of 'Pair'
// SILENT-NOT: {{.+}}
// HEAP-NOT: stack
// HEAP-NOT: destructions
