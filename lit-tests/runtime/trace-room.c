// Intent: mode=trace, where the address space for the trace is used up: one line says so, and the
// report says that the trace is cut; what came before is there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: sh -c 'ulimit -v 700000; INMEM_OPTIONS=output=%t.inmem:mode=trace %t.exe' 2> %t.err
// RUN: %FileCheck %s < %t.err
// CHECK: inmem: the trace cannot grow (Cannot allocate memory) at {{[0-9]+}} bytes and ends here: {{.*}}.inmem
// RUN: %inmem report --full %t.inmem | %FileCheck %s --check-prefix=REPORT
// REPORT: {{cut|ends}}
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'not processes[0].complete' 'totals.allocations > 1000000'

#include <stdlib.h>

static void *volatile Sink;

int main(void) {
  for (int I = 0; I < 40000000; ++I) {
    Sink = malloc(16 + I % 500);
    free(Sink);
  }
  return 0;
}
