// Intent: after fork, parent and child each leave a trace of their own; the child's counts
// begin with nothing recorded twice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: rm -rf %t && mkdir %t
// RUN: env INMEM_OPTIONS=output=%t/trace.%%p.inmem %t.exe > %t/pids
// RUN: sh -c 'read parent child < %t/pids; %inmem report --format json %t/trace.$parent.inmem' > %t/parent.json
// RUN: sh -c 'read parent child < %t/pids; %inmem report --format json %t/trace.$child.inmem' > %t/child.json
// RUN: %expect %t/parent.json 'types["Parents"].allocations == 3' 'types["Parents"].live_allocations == 1'
// RUN: %expect %t/parent.json '"Childs" not in types'
// RUN: %expect %t/child.json 'types["Childs"].allocations == 5' 'types["Childs"].frees == 5'

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

struct Parents {
  int a[10];
};
struct Childs {
  int a[20];
};
static void *volatile Sink;

int main() {
  Parents *before = new Parents;
  Sink = before;
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5; ++i) {
      Childs *one = new Childs;
      Sink = one;
      delete one;
    }
    delete before; // the child's copy
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  for (int i = 0; i < 2; ++i) {
    Parents *one = new Parents;
    Sink = one;
    delete one;
  }
  std::printf("%d %d\n", getpid(), child);
  return status;
}
