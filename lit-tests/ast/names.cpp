// Intent: local, anonymous and closure types carry what tells them apart: their
// function with its template arguments, or file and line.
// RUN: %clangxx -O0 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clangxx -O2 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void sink(void *);
struct A {}; struct B {};
template <typename T> struct Outer { struct Nested { int n; }; enum Color { Red }; };
enum class Shade { Dark = 3 };
template <auto V> struct Value { int n; };
namespace { struct Hidden { int n; }; }
typedef struct { int n; } Named;
int variable;

template <typename T> void local() {
  struct Local { int n; };
  sink(new Local);
}
// CHECK-DAG: remark: allocates 'local<A>()::Local' (new)
template void local<A>();
// CHECK-DAG: remark: allocates 'local<B>()::Local' (new)
template void local<B>();

struct Class {
  void method(int, const char *) { struct Inside { int n; }; sink(new Inside); }
};

void test() {
  // CHECK-DAG: remark: allocates 'Class::method(int, const char *)::Inside' (new)
  Class().method(1, "");
  // CHECK-DAG: remark: allocates '(anonymous namespace)::Hidden' (new)
  sink(new Hidden);
  // CHECK-DAG: remark: allocates 'Named' (new)
  sink(new Named);
  // CHECK-DAG: remark: allocates 'Outer<int>::Nested' (new)
  sink(new Outer<int>::Nested);
  // CHECK-DAG: remark: allocates 'Outer<A>::Color' (new)
  sink(new Outer<A>::Color);
  // CHECK-DAG: remark: allocates 'Value<3>' (new)
  sink(new Value<3>);
  // CHECK-DAG: remark: allocates 'Value<Shade::Dark>' (new)
  sink(new Value<Shade::Dark>);
  // CHECK-DAG: remark: allocates 'Value<true>' (new)
  sink(new Value<true>);
  // CHECK-DAG: remark: allocates 'Value<&variable>' (new)
  sink(new Value<&variable>);
  // CHECK-DAG: remark: allocates '(unnamed struct at {{.*}}names.cpp:[[@LINE+1]]:3)' (new)
  struct { int n; } unnamed; sink(new decltype(unnamed));
  // CHECK-DAG: remark: allocates '(lambda at {{.*}}names.cpp:[[@LINE+1]]:17)' (new)
  auto lambda = [] { return 1; }; sink(new decltype(lambda)(lambda));
  // CHECK-DAG: remark: allocates 'int (*)[3]' (new)
  using Array = int[3]; sink(new (Array *));
  // CHECK-DAG: remark: allocates 'const char *const *' (new)
  sink(new (const char *const *));
  // CHECK-DAG: remark: allocates 'int (A::*)(B &&) const noexcept' (new)
  sink(new (int (A::*)(B &&) const noexcept));
  // CHECK-DAG: remark: allocates 'unsigned long' (new)
  sink(new unsigned long);
}
