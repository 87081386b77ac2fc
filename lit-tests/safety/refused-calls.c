// Intent: a sandbox that refuses a call by an error costs no more than that call: without fallocate the trace grows all the same, and where the file
// cannot be looked at, one line names the true reason.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: %record %t.json mode=trace -- %t.exe fallocate 2> %t.err
// RUN: %FileCheck %s --check-prefix=NONE --allow-empty < %t.err
// NONE-NOT: inmem:
// RUN: %expect %t.json 'totals.allocations == 500000' 'processes[0].complete'
// RUN: %record %t.json mode=trace -- %t.exe fstat 2>&1 | %FileCheck %s
// CHECK: inmem: the trace cannot grow (Operation not permitted) at
// CHECK-NOT: inmem: the trace
// RUN: %expect %t.json '0 < totals.allocations < 500000' 'not processes[0].complete'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define REFUSE(Name)                                                           \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (Name), 0, 1),                           \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static void *volatile Sink;

int main(int Count, char **Words) {
  const int File = Count > 1 && !strcmp(Words[1], "fstat");
  struct sock_filter Filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      REFUSE(File ? SYS_newfstatat : SYS_fallocate),
      REFUSE(File ? SYS_fstat : SYS_fallocate),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog Program = {sizeof Filter / sizeof *Filter, Filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Program))
    return 2;
  for (int I = 0; I < 500000; ++I) {
    Sink = malloc(16 + I % 500);
    free(Sink);
  }
  return 0;
}
