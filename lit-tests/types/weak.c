// Intent: an allocator whose weak default allocates nothing is believed all the same: another unit has the real one.
// RUN: %inmem-clang -O1 -c %s -o %t.main.o && %inmem-clang -O1 -DREAL -c %s -o %t.real.o
// RUN: %inmem-clang %t.main.o %t.real.o -o %t.exe && %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Thing"].allocations == 1' 'types["Thing"].allocated_bytes == 28'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

void *volatile Sink __attribute__((weak));

#ifdef REAL
void *get_memory(size_t size) {
  Sink = malloc(size);
  return Sink;
}
#else
struct Thing { int n[7]; };
__attribute__((weak, malloc)) void *get_memory(size_t size) { return size ? NULL : Sink; }
int main(void) {
  struct Thing *thing = get_memory(sizeof *thing);
  Sink = thing;
}
#endif
