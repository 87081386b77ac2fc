// Intent: a musttail call of a hidden malloc or free reaches it and is counted under its own site, and so is what follows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{right} = 'types["item"].allocations == 20' 'types["item"].live_allocations == 10'
// RUN: %inmem-clang -O0 %s -fvisibility=hidden -DOWN -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %inmem-clang -O2 %s -fvisibility=hidden -DOWN -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %inmem-clang -O2 -c -fvisibility=hidden -DOWN -DAPART %s -o %t.o && %inmem-clang -O2 %s %t.o -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %inmem-clang -O2 %s -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %inmem-clang -O0 -static %s -o %t && %record %t.json -- %t && %expect %t.json %{right}
#include <stddef.h>
#ifdef OWN
static char Pool[1 << 16] __attribute__((aligned(16)));
static size_t Used;
__attribute__((noinline)) void *malloc(size_t Size) {
  void *P = Pool + Used;
  Used += (Size + 15) & ~(size_t)15;
  return P;
}
__attribute__((noinline)) void free(void *P) { (void)P; }
#else
#include <stdlib.h>
#endif
#ifndef APART
struct item {
  int V[4];
};
struct item *volatile Keep;
__attribute__((noinline)) void *jumps(size_t Size) { __attribute__((musttail)) return malloc(Size); }
__attribute__((noinline)) void drops(void *P) { __attribute__((musttail)) return free(P); }
int main(void) {
  for (int I = 0; I < 10; ++I) {
    struct item *P = jumps(sizeof *P);
    Keep = P;
    drops(P);
    P = malloc(sizeof *P);
    Keep = P;
  }
  return 0;
}
#endif
