// Intent: a process in a seccomp filter ends in order without any call that it does not make itself, by exit and by _exit: the trace is complete. So
// is that of a forked child whose first event comes in the sandbox. After a vfork, _exit makes no call either; its trace is incomplete.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 1000' 'processes[0].complete'
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: env INMEM_OPTIONS=output=%t.d/%%p.inmem %t.exe child
// RUN: %inmem report --format json %t.d/*.inmem > %t.json
// RUN: %expect %t.json 'types["Item"].allocations == 1000' 'all(p.complete for p in processes)' 'len(processes) == 2'
// RUN: %record %t.json -- %t.exe quick
// RUN: %expect %t.json 'types["Item"].allocations == 1000' 'processes[0].complete'
// RUN: %record %t.json -- %t.exe vfork
// RUN: %expect %t.json 'types["Item"].allocations == 1000' 'not processes[0].complete'
// Nor does a static executable, or one whose threads are watched.
// RUN: %inmem-clang -O1 -static %s -o %t.static
// RUN: %record %t.json -- %t.static
// RUN: %expect %t.json 'types["Item"].allocations == 1000' 'processes[0].complete'
// RUN: %record %t.json watch=500ms -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 1000' 'processes[0].complete'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
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
  const char *How = Count > 1 ? Arguments[1] : "";
  if (!strcmp(How, "vfork") && vfork() == 0)
    _exit(0);
  const pid_t Child = !strcmp(How, "child") ? fork() : 0;
  if (Child != 0) {
    int Status;
    return waitpid(Child, &Status, 0) != Child || Status != 0;
  }
  struct sock_filter Code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      // malloc's and the C library's own at exit
      ALLOW(mmap), ALLOW(munmap), ALLOW(madvise), ALLOW(brk), ALLOW(futex), ALLOW(exit_group),
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
  if (*How == 'q' || *How == 'v')
    _exit(0);
  return 0;
}
