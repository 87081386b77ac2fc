// Intent: in a seccomp sandbox that allows what malloc needs and nothing else, the fast path and a
// site's first event go on: the trace gets room for several hundred sites before the sandbox begins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 200000' 'types["Item"].frees == 200000' \
// RUN:   'totals.allocations == 200000 + 1 + 512'
// RUN: %record %t.json mode=trace presize=16 -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 200000' 'types["Item"].frees == 200000'
// Too much is said, and nothing lost by it.
// RUN: env INMEM_OPTIONS=output=%t.large.inmem:presize=99999 %t.exe free 2>&1 | %FileCheck %s
// CHECK: INMEM_OPTIONS: bad value '99999' for presize

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct Item {
  long Values[4];
};
static void *volatile Sink;

#define ALLOW(Name)                                                            \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##Name, 0, 1),                       \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int enterSandbox(void) {
  struct sock_filter Code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOW(mmap),    ALLOW(munmap),     ALLOW(mprotect), ALLOW(madvise),
      ALLOW(mremap),  ALLOW(brk),        ALLOW(futex),    ALLOW(read),
      ALLOW(write),   ALLOW(exit_group), ALLOW(exit),     ALLOW(rt_sigreturn),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  struct sock_fprog Program = {sizeof Code / sizeof *Code, Code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program);
}

#define OTHER(N)                                                               \
  struct Other##N {                                                            \
    char Bytes[100 + N];                                                       \
  };                                                                           \
  Sink = malloc(sizeof(struct Other##N));
#define EIGHT(N)                                                               \
  OTHER(N##0) OTHER(N##1) OTHER(N##2) OTHER(N##3)                              \
  OTHER(N##4) OTHER(N##5) OTHER(N##6) OTHER(N##7)
#define SIXTY_FOUR(N)                                                          \
  EIGHT(N##1) EIGHT(N##2) EIGHT(N##3) EIGHT(N##4)                              \
  EIGHT(N##5) EIGHT(N##6) EIGHT(N##7) EIGHT(N##8)

int main(int Count, char **Arguments) {
  Sink = malloc(1);
  if (Count == 1 && enterSandbox() != 0)
    return 1;
  for (int I = 0; I < 200000; ++I) {
    Sink = malloc(sizeof(struct Item));
    free(Sink);
  }
  SIXTY_FOUR(1) SIXTY_FOUR(2) SIXTY_FOUR(3) SIXTY_FOUR(4)
  SIXTY_FOUR(5) SIXTY_FOUR(6) SIXTY_FOUR(7) SIXTY_FOUR(8)
  syscall(SYS_exit_group, 0); // an end in order writes more than that
}
