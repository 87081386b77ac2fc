// Intent: of a program without instrumentation, blocks of wrappers and libraries belong to the line that called those, whatever compiled the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{run} = %inmem run -q --options callers=on --trace
// DEFINE: %{lines} = %python %S/Inputs/program-lines.py
// RUN: gcc -O0 -g %s -o %t.gcc0 -pthread && %{run} %t.gcc0.inmem -- %t.gcc0 && %{lines} %s %t.gcc0.inmem %inmem
// RUN: gcc -O2 -g %s -o %t.gcc2 -pthread && %{run} %t.gcc2.inmem -- %t.gcc2 && %{lines} %s %t.gcc2.inmem %inmem
// RUN: %clang -O0 -g %s -o %t.clang0 -pthread && %{run} %t.clang0.inmem -- %t.clang0 && %{lines} %s %t.clang0.inmem %inmem
// RUN: %clang -O2 -g %s -o %t.clang2 -pthread && %{run} %t.clang2.inmem -- %t.clang2 && %{lines} %s %t.clang2.inmem %inmem
// If names and debug information are stripped, the callers are as many addresses.
// RUN: strip %t.gcc2 -o %t.bare && %{run} %t.bare.inmem -- %t.bare && %{lines} %s %t.bare.inmem %inmem --addresses
// RUN: %inmem run -q --options callers=off --trace %t.off.inmem -- %t.bare
// RUN: %inmem report --format json %t.off.inmem > %t.off.json
// RUN: %expect %t.off.json '[s for t in report.types for s in t.sites if s.get("caller")] == []'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))
void *volatile Sink;

APART static void *gentleMalloc(size_t Bytes, int Gentle) {
  void *P = malloc(Bytes);
  if (!P && !Bytes)
    P = malloc(1);
  if (!P) {
    if (Gentle)
      return NULL;
    fprintf(stderr, "out of memory: %zu bytes\n", Bytes);
    exit(1);
  }
  return P;
}
APART void *xmalloc(size_t Bytes) { return gentleMalloc(Bytes, 0); }
APART void *xzalloc(size_t Bytes) { return calloc(1, Bytes); }
APART void *xcalloc(size_t Count, size_t Bytes) {
  void *P = malloc(Count * Bytes);
  if (!P)
    abort();
  memset(P, 0, Count * Bytes);
  return P;
}
APART char *xstrdup(const char *From) {
  const size_t Bytes = strlen(From) + 1;
  char *P = xmalloc(Bytes);
  memcpy(P, From, Bytes);
  return P;
}
APART void *xrealloc(void *Old, size_t Bytes) {
  void *P = realloc(Old, Bytes);
  if (!P)
    abort();
  return P;
}
APART void *xaligned(size_t Bytes) { return aligned_alloc(64, Bytes); }
APART void *xstored(size_t Bytes) {
  void *P;
  return posix_memalign(&P, 64, Bytes) == 0 ? P : NULL;
}
// A callee that returns the block, like functions that tell the compiler its size.
APART void *unchanged(void *P, size_t Bytes) {
  (void)Bytes;
  __asm__ volatile("");
  return P;
}
APART void *xunchanged(size_t Bytes) {
  void *P = malloc(Bytes);
  return unchanged(P, Bytes);
}
// Recursion, and a wrapper that is called through a pointer.
APART void *retried(size_t Bytes, int Times) {
  void *P = Times ? retried(Bytes, Times - 1) : malloc(Bytes);
  if (!P)
    abort();
  return P;
}
void *(*volatile Pointed)(size_t) = xmalloc;

// Objects are made where they get their contents.
struct Node {
  struct Node *Next;
  long Value;
};
APART struct Node *makeNode(long Value) {
  struct Node *N = xmalloc(sizeof *N); // 7 + 2
  N->Next = NULL;
  N->Value = Value;
  return N;
}
APART void *constant(void) {
  void *P = malloc(48); // 3
  __asm__ volatile("");
  return P;
}
struct Buffer {
  size_t Bytes;
  char Text[];
};
APART struct Buffer *makeBuffer(size_t Bytes) {
  struct Buffer *B = malloc(sizeof *B + Bytes); // 4
  B->Bytes = Bytes;
  return B;
}

static void *work(void *Unused) {
  for (int I = 0; I < 5; ++I)
    Sink = xmalloc(24); // 10
  return Unused;
}
APART void other(void) {
  for (int I = 0; I < 6; ++I)
    Sink = xmalloc(24); // 6
}
// The register of results still has the block at the end.
APART void keep(void) {
  Sink = xmalloc(40); // 3
}
APART int compare(const void *A, const void *B) {
  (void)B;
  Sink = xstrdup("compared"); // 1
  return *(const int *)A - *(const int *)B;
}

int main(void) {
  pthread_t Threads[2];
  for (volatile int I = 0; I < 2; ++I)
    pthread_create(&Threads[I], NULL, work, NULL); // 2
  for (int I = 0; I < 2; ++I)
    pthread_join(Threads[I], NULL);
  other();
  for (volatile int I = 0; I < 3; ++I)
    keep();
  for (volatile int I = 0; I < 7; ++I)
    Sink = makeNode(I);
  Sink = makeNode(8), Sink = makeNode(9);
  for (volatile int I = 0; I < 8; ++I)
    Sink = xcalloc(3, 7); // 8
  for (volatile int I = 0; I < 9; ++I)
    Sink = xzalloc(100 + I); // 9
  char *Text = xstrdup("a text that is copied"); // 1
  for (volatile int I = 1; I < 12; ++I)
    Text = xrealloc(Text, 100 * I); // 11
  Sink = xaligned(192); // 1
  for (volatile int I = 0; I < 6; ++I)
    Sink = xstored(100 + I); // 6
  for (volatile int I = 0; I < 15; ++I)
    Sink = xunchanged(100 + I); // 15
  for (volatile int I = 0; I < 12; ++I)
    Sink = retried(33, I); // 12
  for (volatile int I = 0; I < 13; ++I)
    Sink = Pointed(64); // 13
  for (volatile int I = 0; I < 3; ++I)
    Sink = constant();
  for (volatile int I = 0; I < 4; ++I)
    Sink = makeBuffer(I);
  for (volatile int I = 0; I < 14; ++I)
    Sink = strdup("of the C library"); // 14
  int Two[] = {2, 1};
  qsort(Two, 2, sizeof *Two, compare);
  return 0;
}
