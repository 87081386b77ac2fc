// Intent: however a process is forked, the child writes a trace of its own and nothing into its
// parent's; what shares the parent's memory counts for the parent.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 -pthread %s -o %t.exe
// RUN: rm -rf %t && mkdir %t
// RUN: sh -c 'for how in fork _Fork clone syscall clone-vm clone-vfork vfork spawn daemon signal; do \
// RUN:   mkdir %t/$how; cd %t/$how; %t.exe $how || exit 1; \
// RUN:   for f in $(ls -tr); do %inmem report --format json $f > $f.json || exit 1; done; done'
// RUN: %python %inputs/forks.py %t

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct Parents {
  long a[4];
};
struct Childs {
  long a[8];
};
static void *volatile Sink;
static struct Parents *Kept;

// Blocks that are never freed, 100 of them, and the end of one of the parent's.
static int child(void *unused) {
  for (int i = 0; i < 100; ++i)
    Sink = malloc(sizeof(struct Childs));
  free(Kept);
  return 0;
}

static void onSignal(int number) {
  (void)number;
  if (fork() == 0)
    _exit(child(NULL));
}

int main(int argc, char **argv) {
  const char *how = argv[1];
  char *stack = malloc(1 << 16);
  for (int i = 0; i < 10; ++i)
    Sink = Kept = malloc(sizeof(struct Parents));
  pid_t pid = -1;
  if (!strcmp(how, "fork"))
    pid = fork();
  else if (!strcmp(how, "_Fork"))
    pid = _Fork();
  else if (!strcmp(how, "clone"))
    pid = clone(child, stack + (1 << 16), SIGCHLD, NULL);
  else if (!strcmp(how, "clone-vm")) // the parent waits below
    pid = clone(child, stack + (1 << 16), CLONE_VM | SIGCHLD, NULL);
  else if (!strcmp(how, "clone-vfork"))
    pid = clone(child, stack + (1 << 16), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
  else if (!strcmp(how, "syscall"))
    pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  else if (!strcmp(how, "vfork")) {
    pid = vfork();
    if (pid == 0)
      execl("/bin/true", "true", NULL);
  } else if (!strcmp(how, "spawn")) {
    char *arguments[] = {argv[0], "none", NULL};
    extern char **environ;
    if (posix_spawn(&pid, argv[0], NULL, NULL, arguments, environ) != 0)
      return 1;
  } else if (!strcmp(how, "daemon")) {
    // Twice, as daemons do, and away from the folder in which it began.
    pid = fork();
    if (pid == 0) {
      setsid();
      pid = fork();
      if (pid == 0) {
        if (chdir("/") != 0)
          return 1;
        return child(NULL);
      }
      waitpid(pid, NULL, 0);
      _exit(0);
    }
  } else if (!strcmp(how, "signal")) {
    signal(SIGUSR1, onSignal);
    raise(SIGUSR1);
    pid = -1;
  }
  if (pid == 0)
    _exit(child(NULL));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && pid != -1)
    ;
  Sink = malloc(sizeof(struct Parents));
  return status;
}
