// Intent: include= and exclude= that match no type are said at the end of the run, each once, with the type that was meant; those that match are not,
// nor does a forked child repeat it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 %s -o %t
// RUN: env 'INMEM_OPTIONS=output=none:include=shop::Odrer,shop::Pair<*,*>:exclude=cart*,Nothing' %t 2>&1 | %FileCheck %s --match-full-lines
// CHECK: inmem: INMEM_OPTIONS: include: 'shop::Odrer' matches no type that this program allocates; did you mean 'shop::Order'?
// CHECK-NEXT: inmem: INMEM_OPTIONS: exclude: 'cart*' matches no type that this program allocates; did you mean 'shop::Cart'?
// CHECK-NEXT: inmem: INMEM_OPTIONS: exclude: 'Nothing' matches no type that this program allocates
// CHECK-NEXT: done
// CHECK-NOT: inmem:
// RUN: env 'INMEM_OPTIONS=output=none:include=shop::*:exclude=*Cart' %t 2>&1 | %FileCheck %s --check-prefix=GOOD
// GOOD-NOT: inmem:
// GOOD: done
// RUN: env INMEM_OPTIONS=output=none %t fork 2>&1 | %FileCheck %s --check-prefix=GOOD
// RUN: env INMEM_OPTIONS=output=%t.%p.inmem:include=Odrer %t fork 2>&1 | %FileCheck %s --check-prefix=FORK
// FORK-COUNT-1: did you mean 'shop::Order'?
// FORK-NOT: did you mean
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

namespace shop {
struct Order {
  int n;
};
struct Cart {
  long n;
};
template <class A, class B> struct Pair {
  A a;
  B b;
};
} // namespace shop

void *volatile Sink;

int main(int argc, char **) {
  Sink = new shop::Order;
  Sink = new shop::Cart;
  Sink = new shop::Pair<int, long>;
  if (argc > 1) {
    if (fork() == 0)
      Sink = new shop::Cart;
    else
      wait(nullptr);
  }
  std::puts("done");
}
