// Intent: the thread that writes summaries is not the program's: nothing of it is counted, nothing is said to be lost.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang %s -o %t.exe
// RUN: %record %t.json periodic=3600 -- %t.exe
// RUN: %expect %t.json 'totals.allocations == 3' 'totals.frees == 3' 'processes[0].dropped_events == 0'

#include <stdlib.h>

int main(void) {
  for (int i = 0; i < 3; ++i) {
    char *volatile p = malloc(100);
    free(p);
  }
}
