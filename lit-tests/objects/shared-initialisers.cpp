// Intent: default member initialisers and default arguments are shared by uses at run time and
// in constant expressions: valid code stays valid, and what run time makes is counted.
// RUN: %count-objects %s %t
// RUN: %count-objects %s %t.lifetime -fplugin-arg-inmem-objects=lifetime
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct A { int x = 1, y = 2; };
struct Outer { A a = A{3, 4}; int z = 0; };
struct Array { A a[3] = {{1}, {2}, {3}}; };
struct Member { constexpr Member(int n) : n(n) {} A a = {5, 6}; int n; };
// OBJECTS A: member=5 stack=1 aggregate=6 destroyed=none
// OBJECTS Outer: stack=1 aggregate=1 destroyed=none
// OBJECTS Array: stack=1 aggregate=1 destroyed=none
// OBJECTS Member: stack=1 converted=1 destroyed=none

__attribute__((noinline)) int outer() { Outer o{}; return o.z + o.a.x; }
constexpr Outer constant{};
static_assert(constant.a.y == 4);

__attribute__((noinline)) int array() { Array a{}; return a.a[2].x; }
constexpr Array constantArray{};
static_assert(constantArray.a[1].x == 2);

__attribute__((noinline)) int member(int n) { Member m(n); return m.a.y; }
constexpr Member constantMember(1);
static_assert(constantMember.a.y == 6);

constexpr int argument(A a = A{7, 8}) { return a.y; }
__attribute__((noinline)) int used() { return argument(); }
constexpr int evaluated = argument();
static_assert(evaluated == 8);

// Evaluated here, after their first uses.
template <int N> int sized() { return N; }
int main() {
  int volatile sum = outer() + array() + member(1) + used();
  return sum == 20 && sized<Outer{}.a.x>() == 3 && sized<argument()>() == 8 ? 0 : 1;
}
