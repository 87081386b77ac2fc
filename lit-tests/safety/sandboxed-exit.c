// Intent: a seccomp filter that allows what docs/safety.md names for a process that ends lets it end in order: the trace is complete. So is that of a forked child whose
// first event comes in the sandbox.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 1000' 'processes[0].complete'
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: env INMEM_OPTIONS=output=%t.d/%%p.inmem %t.exe child
// RUN: %inmem report --format json %t.d/*.inmem > %t.json
// RUN: %expect %t.json 'types["Item"].allocations == 1000' 'all(p.complete for p in processes)' 'len(processes) == 2'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct Item {
  long Values[4];
};

#define ALLOW(Name)                                                            \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##Name, 0, 1),                       \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int main(int Count, char **Arguments) {
  void *volatile Sink = malloc(1);
  const pid_t Child = Count > 1 ? fork() : 0;
  if (Child != 0) {
    int Status;
    return waitpid(Child, &Status, 0) != Child || Status != 0;
  }
  struct sock_filter Code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      // malloc's, and the C library's own at exit
      ALLOW(mmap), ALLOW(munmap), ALLOW(madvise), ALLOW(brk), ALLOW(futex), ALLOW(exit_group),
      // the row "the process ends"
      ALLOW(rt_sigprocmask), ALLOW(fstat), ALLOW(newfstatat), ALLOW(ftruncate),
      ALLOW(tgkill), ALLOW(prctl), ALLOW(clock_gettime), ALLOW(openat), ALLOW(read), ALLOW(close),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  struct sock_fprog Program = {sizeof Code / sizeof *Code, Code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program))
    return 1;
  for (int I = 0; I < 1000; ++I) {
    Sink = malloc(sizeof(struct Item));
    free(Sink);
  }
  return 0;
}
