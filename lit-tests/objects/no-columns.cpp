// Intent: where locations have no columns (-gno-column-info, or a column that LLVM has no room for), what is on
// one line is told apart by its order; a call that has none of its own is not guessed.
// RUN: %count-objects %s %t -gno-column-info
// RUN: %count-objects %s %t.debug -g -gno-column-info
// RUN: %python -c "import sys; print(open(sys.argv[1]).read().replace('/*FAR*/', ' ' * 66000))" %s > %t.far.cpp
// RUN: %count-objects %t.far.cpp %t.far
// RUN: %expect %t-O0.json 'types["A"].allocations == 3' 'types["B"].allocations == 3' 'types["C"].allocations == 2' 'types["D"].allocations == 1' 'types["E"].allocations == 1'
// RUN: %expect %t-O2.json 'types["A"].allocations == 3' 'types["B"].allocations == 3' 'types["C"].allocations == 2'
// RUN: %expect %t.far-O0.json 'types["A"].allocations == 3' 'types["B"].allocations == 3' 'types["C"].allocations == 2'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
struct A { int n; };
struct B { int n; };
struct C { int n[2]; };
struct D { int n[3]; };
struct E { int n[3]; };
struct V { int n; V() : n(0) {} ~V() {} };
struct R { int n; R(int n) : n(n) {} R(const R &o) : n(o.n) {} ~R() {} };
static void *volatile Sink;
static void keep(void *a, void *b) { Sink = a; Sink = b; }
R make(int n) { return R(n); }
// clang-format off
int main() {
  /*FAR*/ keep(new A, new B); A *a = new A; keep(a, new B);
  /*FAR*/ for (int i = 0; i < 2; keep(new C, nullptr), ++i) { keep(new A, nullptr); break; } keep(new B, new C);
  /*FAR*/ V local; V *heap = new V; static V fixed; delete heap;
  /*FAR*/ R *kept = new R(make(1)); R other = make(2); delete kept;
  /*FAR*/ D *d = (D *)malloc(12); E *e = (E *)malloc(12); keep(d, e); keep(new C, nullptr);
  return local.n + fixed.n + other.n == 2 ? 0 : 1;
}
// OBJECTS V: stack=1 heap=1 static=1 destroyed=3
// OBJECTS R: heap=1 stack=1 destroyed=2
