// Intent: a coroutine with a stack of one page may allocate at new sites and free, whatever is recorded: what the runtime
// needs for that is less than half a page.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 -Wl,-z,now %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["A"].allocations == 64' 'types["B"].allocations == 64' 'totals.live_bytes == 0'
// RUN: %record %t.json stacks=32 -- %t.exe
// RUN: %expect %t.json 'types["A"].allocations == 64' 'types["B"].allocations == 64' 'totals.live_bytes == 0'
// RUN: %record %t.json stacks=32 frees=on clock=exact -- %t.exe
// RUN: %expect %t.json 'types["A"].allocations == 64' 'types["B"].allocations == 64' 'totals.live_bytes == 0'
// RUN: %record %t.json mode=trace stacks=32 -- %t.exe
// RUN: %expect %t.json 'types["A"].allocations == 64' 'types["B"].allocations == 64' 'totals.live_bytes == 0'

#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

struct A {
  int values[3];
};
struct B {
  int values[40];
};

static ucontext_t home, away;
static void *volatile sink;

static __attribute__((noinline)) void allocate(void) {
  // The sites of this function are new to the runtime in the first context.
  struct A *a = malloc(sizeof(struct A));
  sink = a;
  struct B *b = calloc(1, sizeof(struct B));
  sink = b;
  free(a);
  free(b);
}

/// With half of its stack in use.
static void coroutine(void) {
  char used[2000];
  sink = used;
  allocate();
  sink = used;
}

int main(void) {
  enum { kPage = 4096 };
  for (int i = 0; i < 64; ++i) {
    // One page, and below it one that nobody may touch.
    char *memory = mmap(NULL, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, kPage, PROT_NONE);
    getcontext(&away);
    away.uc_stack.ss_sp = memory + kPage;
    away.uc_stack.ss_size = kPage;
    away.uc_link = &home;
    makecontext(&away, coroutine, 0);
    swapcontext(&home, &away);
    munmap(memory, 2 * kPage);
  }
  return 0;
}
