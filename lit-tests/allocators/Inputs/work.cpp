// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls each function in ten rounds and says how its own allocator (own.cpp) saw it; as C or as C++.
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <new>
extern "C" {
#endif
extern long OwnCalls, OwnFrees, OwnBytes, OwnForeign;
int isOwn(void *);
int work(void);
#ifdef __cplusplus
}
struct alignas(64) Wide {
  long A[8];
};
#endif
struct Item {
  long A[3];
};
static void *volatile Keep;
static long Others;
static void *seen(void *P) {
  Keep = P;
  Others += P && !isOwn(P);
  return Keep;
}

static void useC(void) {
  free(seen(malloc(sizeof(struct Item))));
  free(seen(calloc(2, sizeof(struct Item))));
  void *P = seen(malloc(8));
  P = seen(realloc(P, sizeof(struct Item)));
  free(P);
  free(seen(aligned_alloc(64, 64)));
  void *Q;
  if (!posix_memalign(&Q, 64, 40))
    free(seen(Q));
  free(seen(memalign(64, 24)));
}

#ifdef __cplusplus
static void useOperators() {
  delete static_cast<Item *>(seen(new Item));
  delete[] static_cast<Item *>(seen(new Item[3]));
  delete static_cast<Wide *>(seen(new Wide));
  delete[] static_cast<Wide *>(seen(new Wide[2]));
  delete static_cast<Item *>(seen(new (std::nothrow) Item));
  ::operator delete(seen(::operator new(24)));
  ::operator delete(seen(::operator new(20)), size_t{20});
  ::operator delete(seen(::operator new(64, std::align_val_t(64))), std::align_val_t(64));
}
#endif

int work(void) {
  const long Calls = OwnCalls, Frees = OwnFrees, Bytes = OwnBytes;
  for (int I = 0; I < 10; ++I) {
    useC();
#ifdef __cplusplus
    useOperators();
#endif
  }
  fprintf(stderr, "own: %ld blocks, %ld bytes, %ld frees, %ld foreign; others: %ld\n", OwnCalls - Calls, OwnBytes - Bytes, OwnFrees - Frees,
          OwnForeign, Others);
  char *S = strdup("hello");
  fprintf(stderr, "strdup: own %d\n", isOwn(S));
  free(S);
  return 3;
}
#ifdef EARLY /* before all constructors, in the first of them, and in main */
static void early(int Count, char **Arguments, char **Environment) {
  (void)Count, (void)Arguments, (void)Environment;
  work();
}
__attribute__((section(".preinit_array"), used)) static void (*const Early)(int, char **, char **) = early;
__attribute__((constructor(101))) static void first(void) { work(); }
#endif
#ifndef LIBRARY
int main(void) { return work(); }
#endif
