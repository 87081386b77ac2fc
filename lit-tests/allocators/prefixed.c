// Intent: allocators that a program bundles under their usual prefix (je_malloc, as redis does) are recorded like malloc, with types, in the unit that defines them and in others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O0 -DOWN %s -o %t && %record %t.json -- %t && %expect %t.json --in %s
// RUN: %inmem-clang -O2 -DOWN %s -o %t && %record %t.json -- %t && %expect %t.json --in %s
// RUN: %clang -O2 -DOWN -DAPART -c %s -o %t.o && %inmem-clang -O2 %s %t.o -o %t && %record %t.json -- %t && %expect %t.json --in %s
// RUN: %inmem-clang -O2 -DOWN -DAPART -c %s -o %t.o && %inmem-clang -O2 -static %s %t.o -o %t && %record %t.json -- %t && %expect %t.json 'types["node"].frees == 334'
// EXPECT: types["node"].allocations == 1000
// EXPECT: types["node"].frees == 334
// EXPECT: types["node"].allocated_bytes == 16000
// EXPECT: types["pair"].allocations == 30
// EXPECT: types["pair"].live_allocations == 0
// EXPECT: totals.allocations == 1030
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
void *je_malloc(size_t);
void *je_calloc(size_t, size_t);
void *je_realloc(void *, size_t);
void je_free(void *);
#ifdef OWN
static char *At, *End;
__attribute__((malloc, noinline)) void *je_malloc(size_t Size) {
  Size = (Size + 15) & ~(size_t)15;
  if (!At || (size_t)(End - At) < Size) {
    At = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    End = At + (1 << 20);
  }
  void *P = At;
  At += Size;
  return P;
}
void *je_calloc(size_t Count, size_t Size) { return je_malloc(Count * Size); }
void *je_realloc(void *P, size_t Size) {
  void *Q = je_malloc(Size);
  return P ? memcpy(Q, P, Size / 2) : Q;
}
void je_free(void *P) { (void)P; }
#endif
#ifndef APART
#define malloc(Size) je_malloc(Size)
#define free(P) je_free(P)
struct node {
  struct node *Next;
  int V;
};
struct pair {
  long A[2];
};
struct pair *volatile Keep;
int main(void) {
  struct node *List = 0;
  for (int I = 0; I < 1000; I++) {
    struct node *N = malloc(sizeof *N);
    N->Next = List;
    N->V = I;
    List = N;
    if (I % 3 == 0) {
      List = N->Next;
      free(N);
    }
  }
  for (int I = 0; I < 10; ++I) {
    struct pair *P = je_calloc(1, sizeof *P);
    Keep = P;
    P = je_realloc(P, 2 * sizeof *P);
    Keep = P;
    free(P);
    P = malloc(sizeof *P);
    Keep = P;
    free(P);
  }
  return List == 0;
}
#endif
