// Intent: a program that controls recording by inmem.h needs neither inmem's compiler nor its library: not
// linked with it the calls do nothing; run by `inmem run`, the same file's calls count.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clang -O1 -Wall -Werror -I%include %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.none.inmem %t.exe | %FileCheck %s --check-prefix=ALONE
// ALONE: recording 0, blocks 0
// RUN: %not ls %t.none.inmem
// RUN: gcc -O1 -Wall -Werror -I%include %s -o %t.gcc && %t.gcc | %FileCheck %s --check-prefix=ALONE
// RUN: %clang -O1 -Wall -Werror -static -I%include %s -o %t.static && %t.static | %FileCheck %s --check-prefix=ALONE

// RUN: %inmem run --runtime %librt -q --trace %t.inmem -- %t.exe | %FileCheck %s --check-prefix=UNDER
// UNDER: recording 1, blocks 3
// RUN: %inmem report --format json --phase middle %t.inmem > %t.json
// RUN: %expect %t.json 'totals.allocations == 5'

#include <inmem/inmem.h>
#include <stdio.h>
#include <stdlib.h>

static void *volatile sink;
static void make(int count) {
  for (int i = 0; i < count; ++i)
    sink = malloc(10);
}

int main(void) {
  static char buffer[4096];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  struct inmem_counters before = {0}, after = {0};
  inmem_start();
  inmem_thread_counters(&before);
  make(3);
  inmem_thread_counters(&after);
  printf("recording %d, blocks %d\n", inmem_recording(),
         (int)(after.allocations - before.allocations));
  inmem_phase("middle");
  make(5);
  inmem_stop();
  make(7);
  inmem_start();
  inmem_phase("last");
  inmem_snapshot("here");
  make(1);
  inmem_process_counters(&after);
  inmem_flush();
  inmem_reset();
  return 0;
}
