// Intent: classes whose constructors are trivial are counted on request, and only then.
// RUN: %count-objects %s %t -fplugin-arg-inmem-trivial-objects=on
// RUN: %inmem-clangxx -O2 -std=c++20 %s -o %t && %record %t.json -- %t
// RUN: %expect %t.json 'not any(row.objects for row in report.types)'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct T { int a, b; };
struct Holder { T t; int n; };

T make() { return {1, 2}; }
int read(T t) { return t.a; }

// Members that are copied with their object are not told apart from its bytes; a constant that the compiler computed
// is nobody's work.
// OBJECTS T: stack=7 heap=1 member=1 unknown=1 defaulted=2 copied=4 aggregate=4 destroyed=none
// OBJECTS Holder: stack=1 aggregate=1 destroyed=none

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
  delete p;
  return sum * zero;
}
