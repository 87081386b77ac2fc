// Intent: the runtime comes with a library that a program opens which knows nothing of it, also where other libraries
// have taken most of the room for static thread-local storage, if more is asked for or the runtime is preloaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: %clang -O2 -x c -fPIC -shared -DGREEDY %s -o %t.greedy.so
// RUN: %clang -O2 -x c -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe %t.so
// RUN: %expect %t.json 'types["Inside"].allocations == 3 * 100' 'types["Inside"].live_allocations == 3'
// RUN: %record %t.json -- env GLIBC_TUNABLES=glibc.rtld.optional_static_tls=2048 %t.exe %t.so %t.greedy.so
// RUN: %expect %t.json 'types["Inside"].allocations == 3 * 100'
// RUN: %record %t.json -- env LD_LIBRARY_PATH=%libdir LD_PRELOAD=libinmem_rt.so %t.exe %t.so %t.greedy.so
// RUN: %expect %t.json 'types["Inside"].allocations == 3 * 100'

#ifdef LIBRARY
struct Inside {
  double Value[3];
};
static Inside *volatile Sink;

extern "C" void work() {
  for (int I = 0; I < 100; ++I) {
    Inside *One = new Inside;
    Sink = One;
    if (I)
      delete One;
  }
}
#elif defined(GREEDY)
static __thread char Taken[1200] __attribute__((tls_model("initial-exec")));
char *taken(void) { return Taken; }
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t Opened;
static void (*Work)(void);

static void *early(void *Unused) { // began before the runtime was there
  pthread_barrier_wait(&Opened);
  Work();
  return Unused;
}
static void *late(void *Unused) {
  Work();
  return Unused;
}

int main(int Argc, char **Argv) {
  pthread_t Threads[2];
  pthread_barrier_init(&Opened, NULL, 2);
  pthread_create(&Threads[0], NULL, early, NULL);
  void *Library = NULL;
  for (int I = Argc - 1; I > 0; --I)
    if (!(Library = dlopen(Argv[I], RTLD_NOW)))
      return puts(dlerror()), 1;
  Work = (void (*)(void))dlsym(Library, "work");
  pthread_barrier_wait(&Opened);
  pthread_create(&Threads[1], NULL, late, NULL);
  Work();
  pthread_join(Threads[0], NULL);
  pthread_join(Threads[1], NULL);
  return 0;
}
#endif
