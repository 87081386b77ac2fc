// Intent: a forked child numbers the modules in its trace from 1, in every generation: readers take
// numbers that a trace of its size has no room for to be damage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: env INMEM_OPTIONS=output=%t.d/%%p.inmem %t.exe %t.d
// RUN: %inmem dump %t.d/*.inmem | %FileCheck %s
// CHECK: module id=1
// CHECK: module id=2
// CHECK-NOT: module id=3
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kGenerations = 20 };

/// Blocks of the program's own and of the C library.
static void allocate(void) {
  void *volatile Block = malloc(100);
  free(Block);
  fclose(fopen("/dev/null", "r"));
}

static void removeTrace(const char *Folder) {
  char Own[4096];
  snprintf(Own, sizeof Own, "%s/%d.inmem", Folder, getpid());
  unlink(Own);
}

static void live(const char *Folder) {
  allocate();
  for (int I = 0; I < kGenerations; ++I) {
    if (fork() != 0) {
      removeTrace(Folder);
      _exit(0);
    }
    allocate();
  }
  _exit(0);
}

/// Waits for the last generation, which ends the pipe.
int main(int Count, char **Arguments) {
  int Ends[2];
  char Unused;
  if (Count != 2 || pipe(Ends) != 0)
    return 2;
  if (fork() == 0)
    live(Arguments[1]);
  close(Ends[1]);
  removeTrace(Arguments[1]);
  return read(Ends[0], &Unused, 1) != 0;
}
