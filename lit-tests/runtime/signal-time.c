// Intent: a summary that a signal asks for has the time of the signal, also if the program's next event, which writes
// it, comes much later.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:signals=USR1:snapshot %t.exe
// RUN: %inmem dump %t.inmem > %t.txt
// RUN: %python %S/Inputs/snapshot_time.py %t.txt

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void *volatile Sink;

int main(void) {
  Sink = malloc(10);
  raise(SIGUSR1);
  sleep(3);
  Sink = malloc(20);
}
