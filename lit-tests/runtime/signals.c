// Intent: signals=: a signal gives an order, exact to the event, in a handler that may interrupt
// anything; system calls go on; a signal that is ignored or in use is left alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem:signals=USR1:snapshot,USR2:stop,RTMIN+1:start,URG:reset,IO:flush %t.exe
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'types["One"].allocations == 4' 'types["One"].carried_allocations == 5'
// RUN: %inmem report --format csv --phase ..USR1 %t.inmem | %FileCheck %s --check-prefix=USR1
// USR1: {{^}}One,{{.*}},3,
// RUN: env INMEM_OPTIONS=output=%t.off.inmem %not --crash %t.exe
// RUN: env INMEM_OPTIONS=output=%t.ignored.inmem:signals=CHLD:reset %t.exe ignored 2>&1 | %FileCheck %s --check-prefix=BAD
// BAD: bad value 'CHLD:reset' for signals

#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct One {
  int a;
};
static void *volatile Sink;

static void make(int count) {
  for (int i = 0; i < count; ++i)
    Sink = malloc(sizeof(struct One));
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    return 0;
  make(3);
  raise(SIGUSR1);
  make(2);
  raise(SIGUSR2); // stop
  make(100);
  raise(SIGRTMIN + 1); // start
  raise(SIGURG);       // reset
  make(4);
  raise(SIGIO);
  return 0;
}
