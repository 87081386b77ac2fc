// Intent: what clang computes at compile time it still computes, in the same places: branches
// it drops, __builtin_constant_p, object sizes, assumptions.
// RUN: %clangxx -std=c++20 -O0 %s -o %t.plain && %t.plain
// RUN: %inmem-clangxx -std=c++20 -O0 %s -o %t.O0 && %t.O0
// RUN: %inmem-clangxx -std=c++20 -O2 %s -o %t.O2 && %t.O2
// RUN: %inmem-clangxx -std=c++20 -O0 -fplugin-arg-inmem-objects=lifetime %s -o %t.lifetime && %t.lifetime
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct A { int x = 1, y = 0; };
struct Big { A a[4]; };
struct Shared { A a = A{3, 4}; int z = 5; };
void undefined_fn();

int conditions() {
  int sum = 0;
  if (A{1}.x == 2) undefined_fn();
  if (!(A{1}.x == 1)) undefined_fn();
  if (Big{{{1}, {2}, {3}, {4}}}.a[2].x != 3) undefined_fn();
  if (Shared{}.z != 5) undefined_fn();
  if (Shared{}.a.x != 3) undefined_fn();
  switch (A{3}.x) {
  case A{3}.x: sum += 1;
  }
  sum += (A{1}.x == 2) ? (undefined_fn(), 1) : 2;
  if (__builtin_expect(A{1}.x == 2, 0)) undefined_fn();
  return sum;
}

int constants() {
  int sum = 0;
  if (__builtin_constant_p(A{1}.x)) sum += 1;
  if (__builtin_constant_p(A{1}.x + A{2}.y)) sum += 2;
  int local = __builtin_constant_p(A{1}.x);
  A aggregate{__builtin_constant_p(A{1}.x), __builtin_constant_p(Shared{}.z)};
  const int size = A{3}.x;
  int array[size];
  static int zeros[A{2}.x];
  __builtin_assume(A{1}.x == 1);
  return sum + local * 4 + aggregate.x * 8 + aggregate.y * 16 + sizeof array + sizeof zeros;
}

// What functions make in the course of a constant, in local variables and arrays of any length.
struct Arrays { A a[4] = {{1}, {2}, {3}, {4}}; int n = 5; };
struct Listed { A a[3]; constexpr Listed() : a{{1}, {2}, {3}} {} };
struct Literal { int x; constexpr Literal(int n) : x(n) {} constexpr Literal(const Literal &o) : x(o.x) {} };
constexpr int local() { A a = {5, 6}; A b = a; return b.x; }
constexpr int small() { A a[2] = {{1}, {2}}; return a[1].x; }
constexpr int large() { A a[4] = {{1}, {2}, {3}, {4}}; return a[3].x; }
constexpr int rows() { A a[2][2] = {{{1}, {2}}, {{3}, {4}}}; return a[1][1].x; }
constexpr int argument(int n) { A a[3] = {{n}, {2}, {3}}; return a[0].x; }
constexpr int member() { Arrays a; Arrays b = a; return b.a[2].x; }
constexpr int listed() { Listed l; return l.a[2].x; }
constexpr int temporary() { const A &a = A{7, 8}; return a.x; }
constexpr int range() { int s = 0; for (A a : (A[]){{1}, {2}, {3}}) s += a.x; return s; }
constexpr int captured() { auto l = [a = A{3, 4}] { return a.x; }; return l(); }
constexpr int heap() { A *a = new A[3]{{1}, {2}, {3}}; int n = a[2].x; delete[] a; return n; }
constexpr int literals() { Literal l[5] = {1, 2, 3, 4, 5}; return l[4].x; }

int functions() {
  if (local() != 5) undefined_fn();
  if (small() != 2) undefined_fn();
  if (large() != 4) undefined_fn();
  if (rows() != 4) undefined_fn();
  if (argument(6) != 6) undefined_fn();
  if (member() != 3) undefined_fn();
  if (listed() != 3) undefined_fn();
  if (temporary() != 7) undefined_fn();
  if (range() != 6) undefined_fn();
  if (captured() != 3) undefined_fn();
  if (heap() != 3) undefined_fn();
  if (literals() != 5) undefined_fn();
  const int computed = large() + local();
  if (computed != 9) undefined_fn();
  return __builtin_constant_p(local()) + __builtin_constant_p(large()) + __builtin_constant_p(member());
}

int main() { return conditions() == 3 && constants() == 31 + 20 && functions() == 3 ? 0 : 1; }
