// Intent: the counters that a program may ask for count each block once, also one that gets its type after the fact.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 -I%include %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe

#include <inmem/inmem.h>
#include <stdlib.h>
#include <string.h>

static void *volatile Sink;

__attribute__((noinline, malloc)) static void *make(size_t size) {
  Sink = malloc(size);
  return Sink;
}
struct thing {
  int n[3];
};

int main(void) {
  struct inmem_counters before, after;
  Sink = strdup("the first takes another way");
  inmem_process_counters(&before);
  for (int i = 0; i < 10; ++i)
    Sink = strdup("text");
  for (int i = 0; i < 10; ++i) {
    struct thing *made = make(sizeof *made);
    Sink = made;
  }
  inmem_process_counters(&after);
  return after.allocations - before.allocations != 20 ||
         after.allocated_bytes - before.allocated_bytes != 10 * 5 + 10 * sizeof(struct thing);
}
