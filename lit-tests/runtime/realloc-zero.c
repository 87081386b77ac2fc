// REQUIRES: jemalloc, tcmalloc, mimalloc
// Intent: what realloc to no bytes does is the allocator's choice, also where small requests are raised.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clang -O1 %s -o %t.plain && %t.plain > %t.plain.txt
// RUN: %clang -O1 %s -o %t.plain -ljemalloc && %t.plain >> %t.plain.txt
// RUN: %clang -O1 %s -o %t.plain -ltcmalloc && %t.plain >> %t.plain.txt
// RUN: %clang -O1 %s -o %t.plain -lmimalloc && %t.plain >> %t.plain.txt
// RUN: %inmem-clang -O1 %s -o %t.exe && env INMEM_OPTIONS=output=%t.inmem %t.exe > %t.txt
// RUN: %inmem-clang -O1 %s -o %t.exe -ljemalloc && env INMEM_OPTIONS=output=%t.inmem %t.exe >> %t.txt
// RUN: %inmem-clang -O1 %s -o %t.exe -ltcmalloc && env INMEM_OPTIONS=output=%t.inmem %t.exe >> %t.txt
// RUN: %inmem-clang -O1 %s -o %t.exe -lmimalloc && env INMEM_OPTIONS=output=%t.inmem %t.exe >> %t.txt
// RUN: diff %t.plain.txt %t.txt

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  for (size_t size = 1; size <= 1000; size *= 10) {
    char *volatile block = malloc(size);
    char *none = realloc(block, 0);
    puts(none ? "a block" : "freed");
    free(none);
  }
}
