// Intent: a budget does not throw through C, be it static: compiled with inmem the function itself tells, else the file's
// symbols do; without those either, what may be C counts as C, and the report says why.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: strip
// RUN: %if all-tiers %{ %inmem-clang -c -O0 %S/Inputs/static-c.c -o %t.O0.o %}
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O0 %s %t.O0.o -o %t.O0 %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %t.O0 2>&1 | %FileCheck --check-prefixes=CHECK,TOLD %s %}
// RUN: %inmem-clang -c -O2 -ffunction-sections %S/Inputs/static-c.c -o %t.O2.o
// RUN: %inmem-clangxx -std=c++20 -O2 -Wl,--gc-sections %s %t.O2.o -o %t.O2
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.O2 2>&1 | %FileCheck --check-prefixes=CHECK,TOLD %s
//
// The mark is in the code: it needs no symbols.
// RUN: strip -o %t.O2.stripped %t.O2
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.O2.stripped stripped 2>&1 | %FileCheck --check-prefixes=CHECK,TOLD %s
//
// Not compiled with inmem.
// RUN: %clang -c -O2 %S/Inputs/static-c.c -o %t.plain.o
// RUN: %inmem-clangxx -std=c++20 -O2 %s %t.plain.o -o %t.plain
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.plain 2>&1 | %FileCheck --check-prefixes=CHECK,TOLD %s
// RUN: strip -o %t.plain.stripped %t.plain
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.plain.stripped stripped 2>&1 | %FileCheck --check-prefixes=CHECK,DARK %s

#include <cstdio>
#include <cstring>
#include <inmem/scope.h>

extern "C" void twice(void (*Function)(void));

struct Foo {
  long a[3];
};
static void *volatile Sink;

#define APART __attribute__((noinline))

static void make() {
  Foo *F = new Foo;
  Sink = F;
  delete F;
}
APART static void makeApart() {
  make();
  Sink = nullptr; // no tail call
}
// A name that C could have.
extern "C" APART void make_with_plain_name() {
  make();
  Sink = nullptr;
}
extern "C" APART void make_within_noexcept() noexcept { twice(make); }

APART static void exceedsHere(void (*Work)()) {
  inmem::AllocationBudget Budget{.types = {inmem::limit<Foo>(0)}};
  try {
    if (Work)
      Work();
    else
      make();
    std::fprintf(stderr, "returned\n");
  } catch (const inmem::budget_exceeded &) {
    std::fprintf(stderr, "threw\n");
  }
}

int main(int Count, char **Arguments) {
  bool Stripped = Count > 1 && !strcmp(Arguments[1], "stripped");
  // CHECK: threw
  exceedsHere(nullptr);
  // CHECK-NEXT: threw
  exceedsHere(make_with_plain_name);
  // CHECK-NEXT: returned
  // TOLD-NEXT: where none is allowed of type Foo; not thrown through C code (and 1 more like it)
  // DARK-NEXT: where none is allowed of type Foo; not thrown through code without symbols, which may be C (and 1 more like it)
  exceedsHere([] { twice(make); });
  // It is noexcept that forbids it.
  // CHECK-NEXT: returned
  // CHECK-NEXT: where none is allowed of type Foo (and 1 more like it)
  exceedsHere(make_within_noexcept);
  // Mangled names are C++'s.
  // CHECK-NEXT: {{threw|stripped}}
  if (Stripped)
    std::fprintf(stderr, "stripped\n");
  else
    exceedsHere(makeApart);
  return 0;
}
