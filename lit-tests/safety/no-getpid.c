// Intent: a sandbox that refuses getpid, from the start or later, leaves one trace with the true process id.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clang -O1 %s -o %t/program
// RUN: env INMEM_OPTIONS=output=%t/later.%%p.inmem %t/program 2>&1 | %python -c "import sys; sys.exit(bool(sys.stdin.read()))"
// RUN: ls %t/later.*.inmem | %FileCheck %s --check-prefix=ONE
// RUN: env INMEM_OPTIONS=mode=off %t/program env INMEM_OPTIONS=output=%t/start.%%p.inmem %t/program 2>&1 | %python -c "import sys; sys.exit(bool(sys.stdin.read()))"
// RUN: ls %t/start.*.inmem | %FileCheck %s --check-prefix=ONE
// ONE-NOT: 4294967295
// ONE: .inmem
// ONE-NOT: .inmem
// RUN: %inmem report --full %t/start.*.inmem | %FileCheck %s --check-prefix=REPORT
// REPORT-NOT: pid 4294967295
// REPORT: char
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int Count, char **Words) {
  char *volatile First = malloc(10);
  struct sock_filter Filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog Program = {sizeof Filter / sizeof *Filter, Filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program))
    return 1;
  char *volatile Second = malloc(20);
  free(First);
  free(Second);
  if (Count > 1)
    execvp(Words[1], Words + 1);
  return 0;
}
