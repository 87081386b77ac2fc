// Intent: objects of aggregates with a destructor that are initialised from nothing, by an empty list or empty
// parentheses, in member and default initialisers that many share, or as a member of an anonymous union.
// RUN: %count-objects %s %t -std=c++20
// RUN: %count-objects %s %t.lifetime -std=c++20 -fplugin-arg-inmem-objects=lifetime
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct E { ~E() {} };
struct S { E e = {}; };
struct S2 { E e{}; int n = 1; };
struct S3 { E e = E(); };
struct S4 { E e = E{}; };
struct F { ~F() {} };
struct U { union { F f; int i; }; U() : f() {} ~U() { f.~F(); } };
struct W { union { F f; int i; int j; }; W() : f(), n(1) {} ~W() { f.~F(); } int n; };
struct U2 { union { F f = {}; int i; }; ~U2() { f.~F(); } };
struct G { ~G() {} };
static void take(G g = {}) {}
static void take2(G g = G()) {}
struct C { constexpr ~C() {} };
struct D { C c = {}; int n = 2; };
constexpr D constant{};
static_assert(D{}.n == 2 && constant.n == 2);
int main() {
  S s, t;
  S2 s2;
  S2 again{};
  S3 s3;
  S4 s4;
  S aggregate{};
  U u;
  W w;
  U2 u2;
  take();
  take();
  take2();
  static S st;
  S *p = new S;
  delete p;
}
// s, t, s2, again, s3, s4, aggregate, st, *p
// OBJECTS E: member=9 destroyed=9
// OBJECTS F: member=3 destroyed=3
// OBJECTS G: stack=3 destroyed=3
// OBJECTS S: stack=3 static=1 heap=1 destroyed=5
// OBJECTS S2: stack=2 destroyed=2
// OBJECTS S3: stack=1 destroyed=1
// OBJECTS S4: stack=1 destroyed=1
// OBJECTS U: stack=1 destroyed=1
// OBJECTS W: stack=1 destroyed=1
// OBJECTS U2: stack=1 destroyed=1
