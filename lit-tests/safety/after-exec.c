// Intent: a program that goes on after an exec that failed is recorded on, and its trace says so if it is then killed;
// an empty file of the output's name, as mktemp leaves one, is taken.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: rm -f %t.inmem && touch %t.inmem && %not --crash env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem dump %t.inmem | %FileCheck %s
// CHECK: header {{.*}}state=running
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'types["thing"].allocations == 5' 'not processes[0].complete'

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

struct thing {
  int n[3];
};
static struct thing *volatile Sink;

int main(void) {
  Sink = malloc(sizeof(struct thing));
  execl("/no/such/program", "program", (char *)NULL);
  for (int i = 0; i < 4; ++i)
    Sink = malloc(sizeof(struct thing));
  raise(SIGKILL);
}
