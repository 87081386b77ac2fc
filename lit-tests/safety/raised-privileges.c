// REQUIRES: mounts
// Intent: a set-user-id program ignores INMEM_OPTIONS, writes nothing and says nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: rm -rf %t.folder && mkdir %t.folder && chmod 777 %t.folder
// As nobody special it records.
// RUN: cd %t.folder && env INMEM_OPTIONS=output=%t.folder/plain.inmem setpriv --reuid=65534 --clear-groups %t.exe 2>&1 | %FileCheck %s
// RUN: ls %t.folder | %FileCheck %s --check-prefix=PLAIN
// PLAIN: plain.inmem
// RUN: rm -f %t.folder/* && chmod 4755 %t.exe
// RUN: cd %t.folder && env INMEM_OPTIONS=help=1:color=red:mode=trace:output=%t.folder/raised.inmem setpriv --reuid=65534 --clear-groups %t.exe 2>&1 | %FileCheck %s
// RUN: %not ls %t.folder/raised.inmem
// CHECK-NOT: {{.}}
// CHECK: done
// CHECK-NOT: {{.}}

#include <stdio.h>
#include <stdlib.h>

static void *volatile Sink;

int main(void) {
  for (int i = 0; i < 10; ++i)
    free(Sink = malloc(100));
  puts("done");
  return 0;
}
