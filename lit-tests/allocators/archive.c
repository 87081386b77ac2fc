// Intent: an archive that only malloc pulls in is linked, as without inmem, whatever order the files have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clang -O2 -DOWN -c %s -o %t.own.o && rm -f %t.a && ar rc %t.a %t.own.o
// RUN: %inmem-clang -O2 %s %t.a -o %t && %record %t.json -- %t && %expect %t.json 'totals.allocations == 1' 'totals.frees == 1'
// RUN: %inmem-clang -O2 -fuse-ld=lld %s %t.a -o %t && %record %t.json -- %t
// RUN: %inmem-clang -O2 -fno-pie -no-pie %s %t.a -o %t && %record %t.json -- %t
// RUN: %clang --config=%config -O2 %s %t.a -o %t && %record %t.json -- %t
// RUN: %inmem-clang -O2 -DOWN -c %s -o %t.own.o && rm -f %t.a && ar rc %t.a %t.own.o && %inmem-clang -O2 %s %t.a -o %t && %record %t.json -- %t
#include <stddef.h>
#ifdef OWN
static char Pool[1 << 20] __attribute__((aligned(16)));
static size_t Used;
void *malloc(size_t Size) {
  char *P = Pool + Used;
  Used += (Size + 15) & ~(size_t)15;
  P[0] = 77;
  return P;
}
void free(void *P) { (void)P; }
void *calloc(size_t Count, size_t Size) {
  char *P = malloc(Count * Size);
  P[0] = 0;
  return P;
}
void *realloc(void *P, size_t Size) {
  char *Q = malloc(Size);
  if (P)
    __builtin_memcpy(Q, P, Size);
  return Q;
}
#else
#include <stdlib.h>
void *volatile Keep;
int main(void) {
  void *P = malloc(24);
  Keep = P;
  int First = *(unsigned char *)P;
  free(P);
  return First != 77;
}
#endif
