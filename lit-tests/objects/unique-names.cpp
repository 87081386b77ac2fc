// Intent: -funique-internal-linkage-names changes neither counts nor types of what has internal linkage.
// RUN: %count-objects %s %t
// RUN: %count-objects %s %t.unique -funique-internal-linkage-names
// RUN: %expect %t.unique-O0.json 'types["Block"].allocations == 2' 'types["Typed"].allocations == 1' 'types["Early"].allocations == 2' 'types["(anonymous namespace)::A"].allocations == 1'
// RUN: %expect %t.unique-O2.json 'types["Block"].allocations == 2' 'types["Typed"].allocations == 1' 'types["Early"].allocations == 2'
// RUN: %inmem-clang -xc %s -funique-internal-linkage-names -o %t.c && %record %t.json -- %t.c
// RUN: %expect %t.json 'types["Block"].allocations == 2' 'types["Typed"].allocations == 1' \
// RUN:   'types["Block"].sites[0].function == "blocks()"'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
typedef struct Block { int n[4]; } Block;
typedef struct Typed { int n[5]; } Typed;
static void *volatile Sink;
__attribute__((noinline)) static void *wrapped(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
__attribute__((noinline)) static Typed *typed(void) { return (Typed *)wrapped(sizeof(Typed)); }
static void blocks(void) {
  void *(*volatile pointer)(size_t) = wrapped;
  Sink = typed();
  Sink = (Block *)wrapped(sizeof(Block));
  Sink = (Block *)pointer(sizeof(Block));
}
#ifndef __cplusplus
int main(void) { blocks(); return 0; }
#else
struct Early { int n[7]; };
namespace {
struct A { int n; A(int n) : n(n) {} A(const A &o) : n(o.n) {} ~A() {} };
struct G { int a = 1; ~G() {} };
struct Delegating { int n; Delegating(int n) : n(n) {} Delegating() : Delegating(1) {} ~Delegating() {} };
}
__attribute__((noinline)) static A made(int n) { return A(n); }
static int initialised = [] { Sink = new Early; A a(2); G g{3}; return a.n + g.a; }();
static __attribute__((constructor)) void before() { G g; }
int main() {
  blocks();
  A a(1), b = made(2), *c = new A(3);
  delete c;
  G g{4};
  static A fixed(5);
  static G kept{6};
  Delegating delegating;
  auto closure = [a, g] { A x(a); G y{g.a}; return x.n + y.a; };
  Sink = new Early;
  return closure() + initialised == 10 ? 0 : 1;
}
#endif
// OBJECTS (anonymous namespace)::A: stack=4 heap=1 static=1 member=1 destroyed=7
// OBJECTS (anonymous namespace)::G: stack=4 static=1 member=1 destroyed=6
// OBJECTS (anonymous namespace)::Delegating: stack=1 destroyed=1
// OBJECTS (lambda): stack=1 destroyed=1
