// Intent: a process that forks while it leaves allocations out (inmem_ignore) has a child that goes on
// leaving them out, and records everything after that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -I%include -O1 %s -o %t.exe
// RUN: rm -rf %t && mkdir %t
// RUN: env INMEM_OPTIONS=output=%t/trace.inmem %t.exe
// RUN: sh -c 'cd %t && mv trace.inmem parent && mv trace.*.inmem child && for f in parent child; do %inmem report --format json $f > $f.json || exit 1; done'
// RUN: %expect %t/parent.json 'types["Item"].allocations == 10'
// RUN: %expect %t/child.json 'types["Item"].allocations == 20' 'processes[0].dropped_events == 0'

#include <inmem/scope_api.h>

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct Item {
  long Values[4];
};
static struct Item *volatile Sink;

static void make(int Count) {
  for (int I = 0; I < Count; ++I)
    Sink = malloc(sizeof(struct Item));
}

int main(void) {
  make(10);
  inmem_ignore_begin();
  make(3);
  const pid_t Child = fork();
  make(5); // in both
  inmem_ignore_end();
  if (Child == 0) {
    make(20);
    return 0;
  }
  int Status = 1;
  waitpid(Child, &Status, 0);
  return Status;
}
