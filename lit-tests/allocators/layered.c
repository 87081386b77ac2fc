// Intent: calloc, realloc, aligned_alloc and posix_memalign of the program's own over its malloc, which is the next one: each block counts once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{right} = 'types["item"].allocations == 600' 'types["item"].live_allocations == 0' 'totals.allocations == 600'
// RUN: %inmem-clang -O0 -DOWN %s -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %inmem-clang -O2 -DOWN %s -o %t && %record %t.json -- %t && %expect %t.json %{right}
// In units of their own, either instrumented or not, in a program or in a library.
// RUN: %clang -O2 -fPIC -DOWN -DAPART -c %s -o %t.plain.o && %inmem-clang -O2 -fPIC -DOWN -DAPART -c %s -o %t.own.o && %inmem-clang -O2 -fPIC -c %s -o %t.o
// RUN: %inmem-clang %t.o %t.plain.o -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %inmem-clang %t.o %t.own.o -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %inmem-clang -shared %t.own.o -o %t.so && %inmem-clang %t.o %t.so -o %t && %record %t.json -- %t && %expect %t.json %{right}
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef OWN
static void *(*NextMalloc)(size_t);
static void (*NextFree)(void *);
#define OWN_FUNCTION __attribute__((noinline))
OWN_FUNCTION void *malloc(size_t Size) {
  if (!NextMalloc)
    NextMalloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
  return NextMalloc(Size);
}
OWN_FUNCTION void free(void *P) {
  if (!NextFree)
    NextFree = (void (*)(void *))dlsym(RTLD_NEXT, "free");
  if (P)
    NextFree(P);
}
OWN_FUNCTION void *calloc(size_t Count, size_t Size) {
  volatile char *P = malloc(Count * Size);
  for (size_t I = 0; I < Count * Size; ++I)
    P[I] = 0;
  return (void *)P;
}
OWN_FUNCTION void *realloc(void *P, size_t Size) {
  void *Q = malloc(Size);
  if (P)
    memcpy(Q, P, Size < 16 ? Size : 16);
  free(P);
  return Q;
}
OWN_FUNCTION void *aligned_alloc(size_t Align, size_t Size) {
  (void)Align; // at most 16 here
  return malloc(Size);
}
OWN_FUNCTION int posix_memalign(void **Result, size_t Align, size_t Size) {
  (void)Align;
  *Result = malloc(Size);
  return 0;
}
#endif
#ifndef APART
struct item {
  int V[4];
};
struct item *volatile Keep;
int main(void) {
  for (int I = 0; I < 100; ++I) {
    struct item *P = calloc(1, sizeof *P);
    Keep = P;
    free(P);
    P = malloc(sizeof *P);
    Keep = P;
    P = realloc(P, 2 * sizeof *P); // another block of the type
    Keep = P;
    free(P);
    P = realloc(NULL, sizeof *P);
    Keep = P;
    free(P);
    P = aligned_alloc(16, sizeof *P);
    Keep = P;
    free(P);
    void *Q;
    if (posix_memalign(&Q, 16, sizeof *P))
      return 1;
    P = Q;
    Keep = P;
    free(P);
  }
  return 0;
}
#endif
