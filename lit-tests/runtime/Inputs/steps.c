// Counts the instructions that a process executes between two calls of
// getppid, by single steps: `steps PID`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

int main(int Count, char **Words) {
  const int Pid = Count > 1 ? atoi(Words[1]) : 0;
  int Status, Marks = 0;
  if (ptrace(PTRACE_ATTACH, Pid, 0, 0) != 0 || waitpid(Pid, &Status, 0) != Pid)
    return perror("attach"), 1;
  puts("attached"); // the process may be told to go on
  fflush(stdout);
  for (long Steps = 0;; ++Steps) {
    struct user_regs_struct R;
    if (ptrace(PTRACE_GETREGS, Pid, 0, &R) != 0)
      return perror("registers"), 1;
    const long Code = ptrace(PTRACE_PEEKTEXT, Pid, R.rip, 0);
    if ((Code & 0xffff) == 0x050f && R.rax == SYS_getppid) {
      if (Marks++ == 1)
        return ptrace(PTRACE_DETACH, Pid, 0, 0), printf("%ld\n", Steps), 0;
      Steps = 0;
    }
    if (ptrace(PTRACE_SINGLESTEP, Pid, 0, 0) != 0 ||
        waitpid(Pid, &Status, 0) != Pid || !WIFSTOPPED(Status))
      return fprintf(stderr, "it has ended\n"), 1;
  }
}
