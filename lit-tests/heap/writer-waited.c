// Intent: the process that writes a snapshot is no child for wait(), waitpid() and SIGCHLD. __WALL returns it
// (docs/heap.md), and the snapshot is whole then, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clang -O1 %s -o %t/program
// RUN: env INMEM_OPTIONS=output=%t/usual.inmem:snapshot=peak %t/program usual 2>&1 | %FileCheck %s --check-prefix=USUAL
// USUAL-NOT: inmem:
// USUAL: wait -1 no child, SIGCHLD 0
// RUN: env INMEM_OPTIONS=output=%t/wall.inmem:snapshot=peak %t/program wall 2>&1 | %FileCheck %s --check-prefix=WALL
// WALL-NOT: inmem:
// WALL: waited for the writer: status 0
// RUN: %inmem heap %t/wall.heap | %FileCheck %s --check-prefix=HEAP
// HEAP: char
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static volatile sig_atomic_t Signals;
static void count(int Signal) {
  (void)Signal;
  ++Signals;
}

static char *volatile Blocks[3000];

int main(int Count, char **Words) {
  signal(SIGCHLD, count);
  for (int I = 0; I < 3000; ++I)
    Blocks[I] = malloc(100);
  int Status = -1;
  if (Count > 1 && !strcmp(Words[1], "wall")) {
    const int Writer = waitpid(-1, &Status, __WALL);
    printf("waited for %s: status %d\n", Writer > 0 ? "the writer" : "nothing", Status);
    return 0;
  }
  const int Got = waitpid(-1, &Status, 0);
  printf("wait %d %s, SIGCHLD %d\n", Got, errno == ECHILD ? "no child" : "", (int)Signals);
  return 0;
}
