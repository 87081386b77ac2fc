// Intent: inmem run keeps heap snapshots, next to the trace that --trace keeps or in the current folder, and counts the run once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t && %inmem-clang %s -o %t/app
// RUN: cd %t && %inmem run --options snapshot=exit --trace kept.inmem -- ./app > kept.out 2>&1 && %FileCheck %s --check-prefix=KEPT --input-file=kept.out
// KEPT: trace written to kept.inmem
// KEPT: heap snapshot written to kept.heap
// KEPT-NOT: runs
// KEPT: allocated {{.*}} 1001
// RUN: cd %t && %inmem heap kept.heap | %FileCheck %s --check-prefix=HEAP
// RUN: cd %t && %inmem report kept.inmem --format json > kept.json && %expect kept.json 'types["Item"].allocations == 1001'
// HEAP: Item
// RUN: mkdir %t/more && cd %t/more && env INMEM_OPTIONS=snapshot=SIGUSR1 %inmem run --format json -o report.json -- ../app again 2> err
// RUN: cd %t/more && ls && ls inmem.*.heap | %python -c "import sys; names = sys.stdin.read().split(); sys.exit(len(names) != 2 or not names[0].endswith('.2.heap'))"
// RUN: cd %t/more && %expect report.json 'types["Item"].allocations == 1002'
#include <signal.h>
#include <stdlib.h>

struct Item {
  long Values[4];
};
struct Item *Kept;

int main(int Count, char **Arguments) {
  for (int I = 0; I < 1000; ++I) {
    struct Item *volatile Made = malloc(sizeof *Made);
    free(Made);
  }
  if (Count > 1)
    raise(SIGUSR1);
  Kept = malloc(sizeof *Kept);
  if (Count > 1) {
    raise(SIGUSR1);
    free(malloc(sizeof(struct Item)));
  }
  return Arguments[0] == NULL;
}
