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

int main() { return conditions() == 3 && constants() == 31 + 20 ? 0 : 1; }
