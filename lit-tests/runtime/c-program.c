// Intent: a C program gets nothing of C++: no libstdc++, none of its allocations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O2 %s -o %t.exe
// RUN: ldd %t.exe | %FileCheck %s
// CHECK-NOT: libstdc++
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'totals.allocations == 1' 'totals.allocated_bytes == 12'

#include <stdlib.h>

static void *volatile Sink;

int main(void) {
  Sink = malloc(12);
  free(Sink);
  return 0;
}
