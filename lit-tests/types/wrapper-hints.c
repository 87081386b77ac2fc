// Intent: where a function of another unit allocates blocks for callers that do not say their type, the report names the option that gives them one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 -DPOOLS -c %s -o %t.pools.o
// RUN: %inmem-clang -O1 %s %t.pools.o -o %t.exe && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem | %FileCheck %s
// CHECK: note: {{[0-9.]+}} % of all bytes have no type: aligned_for allocates them
// RUN: %inmem-clang -O1 -fplugin-arg-inmem-allocators=aligned_for %s %t.pools.o -o %t.typed && env INMEM_OPTIONS=output=%t.typed.inmem %t.typed
// RUN: %inmem report %t.typed.inmem | %FileCheck %s --check-prefix=TYPED
// TYPED-NOT: have no type
// RUN: %inmem report --format json %t.typed.inmem > %t.json && %expect %t.json 'types["pool"].allocations == 200'
#include <stdlib.h>

void *aligned_for(size_t Align, size_t Bytes);
#ifdef POOLS
void *aligned_for(size_t Align, size_t Bytes) {
  void *P;
  return posix_memalign(&P, Align, Bytes) ? NULL : P;
}
#else
struct pool {
  char *Last;
  struct pool *Next;
};
volatile size_t Bytes = 512;
// What main() stores itself would show the type.
static void begin(struct pool *P) { P->Last = (char *)(P + 1); }
int main(void) {
  for (int I = 0; I < 200; ++I) {
    struct pool *P = aligned_for(16, Bytes);
    begin(P);
    free(P);
  }
}
#endif
