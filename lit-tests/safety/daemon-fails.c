// Intent: where daemon(3) cannot fork, the process goes on as it was: recording if it did, and not if not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: env INMEM_OPTIONS=mode=off %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 2' 'processes[0].complete'
// RUN: %not --crash env INMEM_OPTIONS=output=%t.killed.inmem %t.exe killed
// RUN: %inmem report --format json %t.killed.inmem > %t.json
// RUN: %expect %t.json 'types["Item"].allocations == 2' 'not processes[0].complete'

#define _DEFAULT_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct Item {
  long Values[4];
};
static struct Item *volatile Sink;

static int forbidForks(void) {
  struct sock_filter Code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog Program = {sizeof Code / sizeof *Code, Code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program);
}

int main(int Count, char **Arguments) {
  (void)Arguments;
  Sink = malloc(sizeof(struct Item));
  if (forbidForks() != 0 || daemon(1, 1) != -1 || errno != EAGAIN)
    return 1;
  Sink = malloc(sizeof(struct Item));
  if (Count > 1)
    raise(SIGKILL);
  return 0;
}
