// Intent: what clang emits before the end of the unit counts as the rest: inline static members, variables of
// templates, functions in a class that nothing needs to call (used, constructor, -femit-all-decls).
// RUN: %count-objects %s %t
// RUN: %count-objects %s %t.all -femit-all-decls
// RUN: %count-objects %s %t.lifetime -fplugin-arg-inmem-objects=lifetime
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct A { int x = 1, y = 2; ~A() {} };
int f();

struct S {
  __attribute__((used)) static void neverCalled() { A a{1}; }
  __attribute__((used, constructor)) static void first() { A a{2}; }
  inline static A one{f(), 2};
  inline static A two[2]{{f()}, {3}};
  inline static A *block = new A{f()};
  struct Inner {
    inline static A three{f()};
    __attribute__((used, constructor)) static void second() { A a{3}; }
    friend __attribute__((used, constructor)) void third() { A a{4}; }
    void method() { A a{5}; }
  };
};
template <typename T> struct X {
  inline static T four{f()};
  static T five;
  __attribute__((used)) void method() { T t{1}; }
};
template <typename T> T X<T>::five{f(), 3};
template struct X<A>;
template <> struct X<int> {
  inline static A six{f()};
  struct Inner { inline static A seven{f()}; };
};
typedef struct {
  A a{1};
  __attribute__((used, constructor)) static void fourth() { A a{2}; }
} Named;
inline A eight{f()};
template <typename T> T nine{f()};
template A nine<A>;
template <> A nine<const A>{f(), 2};
namespace { struct Unnamed { inline static A ten{f()}; }; }
extern "C++" { struct Linked { inline static A eleven{f()}; }; }

int f() { return 4; }
int main() {
  Named named;
  X<A>().method();
  S::Inner().method();
  delete S::block;
  return Unnamed::ten.x == 4 ? 0 : 1;
}
// first to fourth, and both methods.
// OBJECTS A: stack=6 heap=1 static=13 member=1 destroyed=21
// OBJECTS Named: stack=1 destroyed=1
