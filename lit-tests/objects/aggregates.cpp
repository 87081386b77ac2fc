// Intent: aggregates with members that are not trivial count although no constructor runs.
// RUN: %count-objects %s %t
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct M { M() {} M(int) {} M(const M &) {} ~M() {} };
struct Pair { M first; int second; };
struct Nested { Pair a; Pair b[2]; };
struct OnlyDestructor { ~OnlyDestructor() {} };
struct Plain { int a, b; };
struct WithBase : OnlyDestructor { int x; };
struct Ending { int n; ~Ending() {} };
struct WithBoth : OnlyDestructor { Ending ending; OnlyDestructor nothing; };
struct BaseList { int n; ~BaseList() {} };
struct ListedBase : BaseList { ListedBase() : BaseList{1} {} ~ListedBase() {} };
struct Reference { const M &m; ~Reference() {} };
struct Defaulted { M m = M(1); int n = 2; };

Pair make(int n) { return {M(n), n}; }
Pair named() { Pair p{M(), 1}; return p; }
void take(const Pair &) {}
void by_value(Pair) {}

Pair global{M(1), 2};
static Pair table[2] = {{1, 2}, {3, 4}};

// OBJECTS Pair: static=3 stack=10 heap=3 member=3 aggregate=18 copied=1 destroyed=19
// OBJECTS Nested: stack=1 aggregate=1 destroyed=1
// OBJECTS OnlyDestructor: stack=2 member=1 aggregate=2 defaulted=1 destroyed=3
// OBJECTS WithBase: stack=1 aggregate=1 destroyed=1
// OBJECTS WithBoth: stack=1 aggregate=1 destroyed=1
// OBJECTS Ending: member=1 stack=1 aggregate=2 destroyed=2
// OBJECTS BaseList: destroyed=0
// OBJECTS ListedBase: stack=1 defaulted=1 destroyed=1
// OBJECTS Reference: stack=1 aggregate=1 destroyed=1
// OBJECTS Defaulted: stack=2 aggregate=1 defaulted=1 destroyed=2
// 19 in Pairs, two in Defaulteds, one temporary bound by Reference:
// OBJECTS M: member=21 stack=1 defaulted=7 converted=14 copied=1 destroyed=22

int main() {
  Pair a{M(), 1};
  Pair b{};
  Pair c = {};
  Pair d = make(1);
  Pair e = named();
  take(Pair{M(2), 3});
  take({M(4), 5});
  by_value({M(6), 7});
  by_value(a);
  Pair f{.first = M(1), .second = 2};
  Pair *heap = new Pair{M(1), 2};
  Pair *array = new Pair[2]{{M(1), 2}, {}};
  delete heap;
  delete[] array;
  Nested nested{{M(1), 1}, {{M(), 2}}};
  OnlyDestructor empty{};
  OnlyDestructor constructed;
  WithBase derived{{}, 4};
  WithBoth both{{}, {3}, {}};
  const Ending constant{5};
  ListedBase listed;
  Reference reference{M(5)};
  Defaulted one{}, two;
  Plain plain{1, 2};
  (void)b; (void)c; (void)d; (void)e; (void)f; (void)nested; (void)derived;
  (void)reference; (void)one; (void)two; (void)plain; (void)empty;
  return plain.a - 1;
}
