// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded: a program serves (Serve.h) before it ends: after main, and in
// exit().
#define _GNU_SOURCE
#include "Serve.h"

#include <dlfcn.h>

typedef int Main(int, char **, char **);
static Main *RealMain;

static int heldMain(int Count, char **Words, char **Environment) {
  const int Code = RealMain(Count, Words, Environment);
  serve();
  return Code;
}

int __libc_start_main(Main *Program, int Count, char **Words,
                      void (*Init)(void), void (*Fini)(void),
                      void (*LoaderFini)(void), void *Stack) {
  RealMain = Program;
  int (*Start)(Main *, int, char **, void (*)(void), void (*)(void),
               void (*)(void), void *);
  *(void **)&Start = dlsym(RTLD_NEXT, "__libc_start_main");
  return Start(heldMain, Count, Words, Init, Fini, LoaderFini, Stack);
}

void exit(int Code) {
  void (*Real)(int);
  *(void **)&Real = dlsym(RTLD_NEXT, "exit");
  serve();
  Real(Code);
  __builtin_unreachable();
}
