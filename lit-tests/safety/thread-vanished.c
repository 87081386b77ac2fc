// Intent: a thread on a stack of the program's own ends by a bare system call, and the program unmaps
// that stack: what the runtime then tells all threads does not go there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -I%include -O1 -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 50 + 5' 'types["Item"].live_allocations == 55'

#define _GNU_SOURCE
#include <inmem/inmem.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct Item {
  long Values[4];
};
static struct Item *volatile Sink;
static volatile pid_t Tid;

static void *vanish(void *Unused) {
  (void)Unused;
  for (int I = 0; I < 10; ++I)
    Sink = malloc(sizeof(struct Item));
  Tid = (pid_t)syscall(SYS_gettid);
  syscall(SYS_exit, 0);
  return 0;
}

int main(void) {
  enum { kStack = 1 << 20 };
  for (int Round = 0; Round < 5; ++Round) {
    void *Stack = mmap(0, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t Attributes;
    pthread_attr_init(&Attributes);
    pthread_attr_setstack(&Attributes, Stack, kStack);
    pthread_t Thread;
    Tid = 0;
    if (pthread_create(&Thread, &Attributes, vanish, 0) != 0)
      return 1;
    while (Tid == 0 || syscall(SYS_tgkill, getpid(), Tid, 0) == 0)
      usleep(100);
    munmap(Stack, kStack);
    inmem_stop();
    Sink = malloc(sizeof(struct Item)); // not recorded
    inmem_start();
    inmem_snapshot("round");
    Sink = malloc(sizeof(struct Item));
  }
  return 0;
}
