// Intent: the places where the AST and the IR could disagree: default arguments,
// default member initialisers, macros, lambdas, constructors' initialisers, globals.
// RUN: %clangxx -O0 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct A { int a; }; struct B { int b[2]; }; struct C { int c[3]; }; struct D { int d[4]; };
struct E { int e[5]; }; struct F { int f[6]; };
void sink(void *); void sink(void *, void *);

void by_default(A *a = new A);
struct Members {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'B' (new)
  B *b = new B;
  C *c;
  D *d;
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'C' (new)
  Members() : c(new C) {
    // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'D' (new)
    d = new D;
  }
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'E' (new)
  ~Members() { sink(new E); }
};
#define MAKE(T) new T
#define PASS(X) sink(X)

// CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'E' (new)
static E *Global = new E;
// CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'F' (new)
thread_local F *PerThread = new F;

void test() {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'A' (new)
  by_default();
  Members members; sink(&members);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'B' (new)
  sink(MAKE(B));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'C' (new)
  PASS(new C);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'D' (new)
  [] { sink(new D); }();
  // CHECK-DAG: :[[@LINE+2]]:{{[0-9]+}}: remark: allocates 'E' (new)
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'F' (new)
  auto generic = [](auto *t) { sink(new (decltype(*t + 0) *)(nullptr)); }; (void)generic; sink(new E, new F);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'F' (new)
  static F *local = new F; sink(local);
  sink(Global); sink(PerThread);
}
// CHECK-NOT: unknown type
