// REQUIRES: mounts
// Intent: two processes in PID namespaces of their own, both number 1, share a folder and the name of
// the trace, as containers do with a volume: the second leaves the first one's trace alone while that runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: rm -rf %t && mkdir %t && mkfifo %t/go
// RUN: sh -c 'cd %t && export INMEM_OPTIONS=output=app.inmem && { unshare --pid --fork %t.exe 10 < go & } && exec 3> go && while test ! -e app.inmem; do sleep 0.01; done && unshare --pid --fork %t.exe 7 < /dev/null && exec 3>&- && wait'
// RUN: %inmem report --format json %t/app.inmem > %t.first.json
// RUN: %expect %t.first.json 'processes[0].complete' 'processes[0].pid == 1' 'types["Item"].allocations == 10 + 1'
// RUN: %inmem report --format json %t/app.1.inmem > %t.second.json
// RUN: %expect %t.second.json 'processes[0].complete' 'types["Item"].allocations == 7 + 1'
// What has ended may be replaced, also from another namespace.
// RUN: sh -c 'cd %t && rm app.1.inmem && INMEM_OPTIONS=output=app.inmem %t.exe 3 < /dev/null && test ! -e app.*.inmem'
// RUN: %inmem report --format json %t/app.inmem > %t.third.json
// RUN: %expect %t.third.json 'types["Item"].allocations == 3 + 1'

#include <stdlib.h>
#include <unistd.h>

struct Item {
  long Values[4];
};
static struct Item *volatile Sink;

// Allocates so many items, then one more when its input ends.
int main(int Count, char **Arguments) {
  for (int I = 0; I < atoi(Arguments[1]); ++I)
    Sink = malloc(sizeof(struct Item));
  char Byte;
  while (read(0, &Byte, 1) > 0)
    ;
  Sink = malloc(sizeof(struct Item));
  return 0;
}
