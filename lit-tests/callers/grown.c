// Intent: a block that realloc makes is of the line that called for it, through wrappers and without, also if only the old block has a type; the
// type stays where the new line names none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{flags} = -O0
// DEFINE: %{options} = mode=summary
// DEFINE: %{lines} = %inmem-clang %{flags} -fplugin-arg-inmem-allocators=pool_realloc %s %t/grow.o -o %t/exe && \
// DEFINE:   env INMEM_OPTIONS=output=%t/inmem:%{options} %t/exe && %inmem report %t/inmem --format json > %t/json && \
// DEFINE:   %python %S/Inputs/lines.py %t/json grown.c --types | %FileCheck %s && rm %t/inmem
// RUN: rm -rf %t && mkdir %t && %clang -O1 -c %S/Inputs/plain.c -o %t/grow.o
// RUN: %{lines}
// REDEFINE: %{flags} = -O2
// RUN: %{lines}
// REDEFINE: %{options} = mode=trace
// RUN: %{lines}
// REDEFINE: %{options} = stacks=16
// RUN: %{lines}
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))
enum { kTimes = 50 };
struct Point {
  double X, Y;
};
void *grow(void *, size_t); // not instrumented
void *volatile Sink;

static APART void *xmalloc(size_t Size) {
  void *P = malloc(Size);
  if (!P)
    abort();
  return P;
}
// The parameter is the result: each returned value is a new block, or the old.
static APART void *xrealloc(void *P, size_t Size) {
  P = realloc(P, Size);
  if (!P && Size)
    abort();
  return P;
}
static APART void *deeper(void *P, size_t Count, size_t Size) {
  if (Count == 0) {
    free(P);
    return NULL;
  }
  return xrealloc(P, Count * Size);
}
// Nothing shows that it returns the block: allocators= says it.
APART void *pool_realloc(void *P, size_t Size) {
  Sink = xrealloc(P, Size);
  return Sink;
}

// Blocks are kept in variables of these: nothing below is a wrapper itself.
static unsigned char *Bytes;
static struct Point *Points;
static void *Raw;

// CHECK: whole
static APART void make(void) {
  // CHECK-NEXT: line [[#@LINE+1]]: 1 unsigned char
  Bytes = xmalloc(7);
  Bytes[0] = 1;
}
static APART int more(size_t Size) {
  // CHECK-NEXT: line [[#@LINE+1]]: 50 unsigned char
  if ((Bytes = xrealloc(Bytes, Size)) == NULL)
    return 1;
  return 0;
}
static APART void assigned(size_t Size) {
  // CHECK-NEXT: line [[#@LINE+1]]: 50 Point
  void *Larger = deeper(Raw, Size, 1);
  Raw = Larger;
}
static APART void plainly(size_t Size) {
  // CHECK-NEXT: line [[#@LINE+1]]: 50 Point
  Raw = realloc(Raw, Size);
}
static APART void elsewhere(size_t Size) {
  // CHECK-NEXT: line [[#@LINE+1]]: 50 Point
  Raw = grow(Raw, Size);
}
static APART void declared(size_t Size) {
  // CHECK-NEXT: line [[#@LINE+1]]: 50 Point
  Raw = pool_realloc(Raw, Size);
}
static APART void array(size_t Count) {
  // CHECK-NEXT: line [[#@LINE+1]]: 50 Point
  Points = xrealloc(Points, Count * sizeof *Points);
}
static APART void points(void (*More)(size_t)) {
  // CHECK-NEXT: line [[#@LINE+1]]: 6 Point
  Points = malloc(sizeof(struct Point));
  Raw = Points;
  for (size_t I = 1; I <= kTimes && More; ++I)
    More(16 * (I + 1));
  if (More)
    free(Raw);
}
static void *inThread(void *Block) {
  points(plainly);
  // CHECK-NEXT: line [[#@LINE+1]]: 1 Point
  Raw = realloc(Block, 100);
  free(Raw);
  return NULL;
}

int main(void) {
  make();
  for (size_t I = 1; I <= kTimes; ++I)
    more(8 * I);
  free(Bytes);
  points(assigned);
  points(elsewhere);
  points(declared);
  points(NULL);
  for (size_t I = 1; I <= kTimes; ++I)
    array(I);
  free(Points);
  points(NULL);
  pthread_t Other;
  pthread_create(&Other, NULL, inThread, Points);
  pthread_join(Other, NULL);
}
