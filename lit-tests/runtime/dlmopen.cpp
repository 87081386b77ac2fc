// Intent: each namespace of dlmopen has a runtime of its own, in as many namespaces as glibc promises room for
// (glibc.rtld.nns is 4 with the program's own), and without a tunable: C and C++, threads that began before, a program
// that knows nothing of inmem and one that is instrumented. Objects are counted for each thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -fPIC -shared -DLIBRARY %s -o %t.cxx.so
// RUN: %inmem-clang -O2 -x c -fPIC -shared -DLIBRARY %s -o %t.c.so
// RUN: %clang -O2 -x c -D_GNU_SOURCE -pthread %s -o %t.plain
// RUN: %inmem-clang -O2 -x c -D_GNU_SOURCE -pthread %s -o %t.ours

// RUN: rm -rf %t.d && mkdir %t.d && env INMEM_OPTIONS=output=%t.d/x.inmem %t.plain %t.cxx.so 2 | %FileCheck --check-prefix=TWO %s
// RUN: %inmem report --format json %t.d/*.inmem > %t.json
// RUN: %expect %t.json 'types["Inside"].allocations == 2 * 300' 'types["Inside"].live_allocations == 2 * 3' \
// RUN:   'types["Inside"].objects.constructed.heap == 2 * 300'
// TWO: {{^}}2 namespaces{{$}}

// RUN: rm -rf %t.d && mkdir %t.d && env INMEM_OPTIONS=output=%t.d/x.inmem %t.ours %t.cxx.so 3 | %FileCheck --check-prefix=THREE %s
// RUN: %inmem report --format json %t.d/*.inmem > %t.json
// RUN: %expect %t.json 'types["Inside"].allocations == 3 * 300' 'types["Inside"].live_allocations == 3 * 3' \
// RUN:   'types["Inside"].objects.constructed.heap == 3 * 300'
// THREE: {{^}}3 namespaces{{$}}

// RUN: rm -rf %t.d && mkdir %t.d && env INMEM_OPTIONS=output=%t.d/x.inmem %t.plain %t.c.so 3 | %FileCheck --check-prefix=THREE %s
// RUN: %inmem report --format json %t.d/*.inmem > %t.json
// RUN: %expect %t.json 'types["Inside"].allocations == 3 * 300' 'types["Inside"].live_allocations == 3 * 3'

#ifdef LIBRARY
#include <stdlib.h>
struct Inside {
  double Value[3];
#ifdef __cplusplus
  Inside() : Value{1} {}
#endif
};
static struct Inside *volatile Sink;

#ifdef __cplusplus
extern "C" void work() {
  for (int I = 0; I < 100; ++I) {
    Inside *One = new Inside;
    Sink = One;
    if (I)
      delete One;
  }
}
#else
void work(void) {
  for (int I = 0; I < 100; ++I) {
    struct Inside *One = malloc(sizeof *One);
    Sink = One;
    if (I)
      free(One);
  }
}
#endif
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 16 };
static pthread_barrier_t Opened;
static void (*Work[kMost])(void);
static int Count;

static void *late(void *Unused) {
  for (int I = 0; I < Count; ++I)
    Work[I]();
  return Unused;
}
static void *early(void *Unused) { // began before the runtimes were there
  pthread_barrier_wait(&Opened);
  return late(Unused);
}

int main(int Argc, char **Argv) {
  pthread_t Threads[2];
  if (Argc < 3)
    return 2;
  pthread_barrier_init(&Opened, NULL, 2);
  pthread_create(&Threads[0], NULL, early, NULL);
  for (; Count < atoi(Argv[2]); ++Count) {
    void *Library = dlmopen(LM_ID_NEWLM, Argv[1], RTLD_NOW);
    if (!Library)
      return puts(dlerror()), 1;
    Work[Count] = (void (*)(void))dlsym(Library, "work");
  }
  pthread_barrier_wait(&Opened);
  pthread_create(&Threads[1], NULL, late, NULL);
  late(NULL);
  pthread_join(Threads[0], NULL);
  pthread_join(Threads[1], NULL);
  printf("%d namespaces\n", Count);
  return 0;
}
#endif
