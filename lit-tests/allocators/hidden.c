// Intent: an allocator that is hidden, or made local by a version script, is the one that is called; its blocks count.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{right} = 'types["item"].allocations == 100' 'types["item"].live_allocations == 0' 'types["item"].allocated_bytes == 1600'
// RUN: %inmem-clang -O2 -fvisibility=hidden %s -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %if all-tiers %{ %inmem-clang -O0 -fvisibility=hidden %s -o %t && %record %t.json -- %t && %expect %t.json %{right} %}
// RUN: %inmem-clang -O2 %s -Wl,--version-script=%S/Inputs/local.map -o %t && %record %t.json -- %t && %expect %t.json %{right}
// RUN: %if all-tiers %{ %inmem-clang -O2 -fno-pie -no-pie %s -Wl,--version-script=%S/Inputs/local.map -o %t && %record %t.json -- %t && %expect %t.json %{right} %}
// RUN: env INMEM_OPTIONS=mode=off %t
// By threads that free each other's blocks, and with what takes the slow path.
// RUN: %inmem-clang -O2 -DTHREADS -fvisibility=hidden %s -o %t -pthread
// DEFINE: %{threads} = 'types["item"].allocations == 20100' 'types["item"].live_allocations == 0'
// RUN: %record %t.json -- %t && %expect %t.json %{threads}
// RUN: %record %t.json stacks=8 -- %t && %expect %t.json %{threads}
// RUN: %record %t.json frees=on -- %t && %expect %t.json %{threads}
// RUN: %record %t.json clock=events -- %t && %expect %t.json %{threads}
// RUN: %record %t.json mode=trace -- %t && %expect %t.json %{threads}
// RUN: %if all-tiers %{ %inmem-clang -O2 -DTHREADS -fvisibility=hidden -fplugin-arg-inmem-contexts=on %s -o %t -pthread %}
// RUN: %if all-tiers %{ %record %t.json stacks=8 -- %t && %expect %t.json %{threads} %}
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static char Pool[1 << 20];
static size_t Used;
__attribute__((noinline)) void *malloc(size_t Size) {
  size_t At = __atomic_fetch_add(&Used, (Size + 15) & ~(size_t)15, __ATOMIC_RELAXED);
  return At + Size > sizeof Pool ? NULL : Pool + At;
}
__attribute__((noinline)) void free(void *P) {
  if (P && ((char *)P < Pool || (char *)P >= Pool + sizeof Pool))
    fprintf(stderr, "not of the pool\n");
}
void *calloc(size_t Count, size_t Size) { return malloc(Count * Size); }
void *realloc(void *P, size_t Size) {
  (void)P;
  return malloc(Size);
}

struct item {
  int V[4];
};
struct item *volatile Keep;
static struct item *Passed[2][10000];
static void *run(void *Argument) {
  const long Me = (long)Argument;
  for (int I = 0; I < 10000; ++I)
    __atomic_store_n(&Passed[Me][I], malloc(sizeof(struct item)), __ATOMIC_RELEASE);
  for (int I = 0; I < 10000; ++I) {
    struct item *P;
    while (!(P = __atomic_load_n(&Passed[!Me][I], __ATOMIC_ACQUIRE)))
      ;
    free(P);
  }
  return NULL;
}

int main(void) {
  int In = 0;
  for (int I = 0; I < 100; ++I) {
    struct item *P = malloc(sizeof *P);
    In += (char *)P >= Pool && (char *)P < Pool + sizeof Pool;
    Keep = P;
    free(P);
  }
#ifdef THREADS
  pthread_t T[2];
  for (long I = 0; I < 2; ++I)
    pthread_create(&T[I], NULL, run, (void *)I);
  for (int I = 0; I < 2; ++I)
    pthread_join(T[I], NULL);
#endif
  return In != 100;
}
