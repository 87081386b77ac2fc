// Intent: on the events clock a forked child's time begins at 0, so that it has the same times in every run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: rm -rf %t && mkdir %t && env INMEM_OPTIONS=clock=events:output=%t/trace.%%p.inmem %t.exe > %t/pid
// RUN: sh -c 'read child < %t/pid; %inmem dump %t/trace.$child.inmem' | %FileCheck %s
// CHECK: header {{.*}} last-ticks=700 clock=events

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile Sink;

int main(void) {
  for (int i = 0; i < 10; ++i)
    Sink = malloc(1000);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 7; ++i)
      Sink = malloc(100);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  printf("%d\n", (int)child);
}
