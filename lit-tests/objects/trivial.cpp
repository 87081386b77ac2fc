// Intent: classes whose constructors are trivial are counted on request, and only then.
// RUN: %count-objects %s %t -fplugin-arg-inmem-trivial-objects=on
// RUN: %inmem-clangxx -O2 -std=c++20 %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json 'not any(row.objects for row in report.types)'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct T { int a, b; };
struct Holder { T t; int n; };

// Lambdas and functions that might be evaluated make their objects when they run.
constexpr int evaluable() {
  T local{3, 4};
  return local.a;
}
static_assert(evaluable() == 3);

T make() { return {1, 2}; }
int read(T t) { return t.a; }

// Members that are copied with their object are not told apart from its bytes; a constant that the compiler computed
// is nobody's work.
// OBJECTS T: stack=11 heap=1 member=1 unknown=1 defaulted=2 copied=4 aggregate=8 destroyed=none
// OBJECTS Holder: stack=1 aggregate=1 destroyed=none
// OBJECTS (lambda): stack=1 aggregate=1 destroyed=none

volatile int zero = 0;

int main() {
  T a;
  T b{1, 2};
  T c = b;
  T d = make();
  T *p = new T();
  *p = d;
  int sum = read(c) + read({3, 4}) + read(*p);
  T array[1] = {b};
  Holder h{{1, 2}, 3};
  const T constant{5, 6};
  a = b;
  sum += a.b + array[0].a + h.t.a + constant.b;
  sum += [] { T local{5, 1}, other{.a = 1, .b = 2}; return local.b + other.a; }();
  sum += evaluable();
  { T last{7, 8}; sum += last.a; }
  delete p;
  return sum * zero;
}
