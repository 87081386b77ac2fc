// Intent: each version of a function that the target makes several of (target, target_clones) has what
// the function says of its objects and blocks.
// RUN: %count-objects %s %t
// RUN: %expect %t-O0.json 'types["Block"].allocations == 3' 'types["Quiet"].allocations == 1'
// RUN: %expect %t-O2.json 'types["Block"].allocations == 3' 'types["Quiet"].allocations == 1'
// RUN: %inmem-clangxx -fplugin-arg-inmem-exclude=Block -O1 %s -o %t.less && %t.less
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
struct Block { int n; };
struct Quiet { int n; };
struct V { int n; V() : n(0) {} V(int n) : n(n) {} ~V() {} };
struct R { int n; R(int n) : n(n) {} R(const R &o) : n(o.n) {} ~R() {} };
static void *volatile Sink;
R make();
__attribute__((target("avx2"))) int byTarget() {
  V v;
  R r = make();
  Sink = new Block;
  return v.n + r.n;
}
__attribute__((target_clones("avx2", "default"))) int byClones() {
  V *v = new V(1);
  Sink = new Block;
  int n = v->n;
  delete v;
  return n;
}
__attribute__((target("default"))) int byVersion() {
  static V v;
  Sink = new Block;
  return v.n;
}
__attribute__((target("avx2"))) int byVersion() {
  static V v;
  Sink = new Block;
  return v.n;
}
R make() { return R(0); }
int main() {
  Sink = malloc(sizeof(Quiet));
  int sum = __builtin_cpu_supports("avx2") ? byTarget() : 0;
  return sum + byClones() + byVersion() == 1 ? 0 : 1;
}
// OBJECTS V: stack=1 heap=1 static=1 destroyed=3
// OBJECTS R: stack=1 destroyed=1
