// Intent: fully static executables, position-independent or not, in C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O2 -static %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["item"].allocations == 100' 'types["item"].live_allocations == 10'
// RUN: %inmem-clang -O2 -static-pie %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["item"].allocations == 100' 'types["item"].live_allocations == 10'

#include <stdlib.h>

struct item {
  int a, b;
};
static struct item *volatile Sink;

int main(void) {
  for (int i = 0; i < 100; ++i) {
    Sink = malloc(sizeof(struct item));
    if (i % 10)
      free(Sink);
  }
  return 0;
}
