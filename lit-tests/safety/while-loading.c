// Intent: a thread that a library's constructor starts and waits for may name itself, fork, exec,
// wait for signals and so on: what the runtime puts before those functions never waits for the
// loader's lock, which dlopen holds meanwhile, and which nobody releases in the child of _Fork.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: %inmem-clang -O1 -rdynamic -pthread %s -o %t.exe
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: env INMEM_OPTIONS=output=%t.d/%%p.inmem %t.exe %t.so

#ifdef LIBRARY
extern void work(void);
__attribute__((constructor)) static void begin(void) { work(); }
#else

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *Program = "/bin/true";
static char *const Words[] = {"true", 0};
static char *const None[] = {0};

static void callExecve(void) { execve(Program, Words, None); }
static void callExecv(void) { execv(Program, Words); }
static void callExecvp(void) { execvp(Program, Words); }
static void callExecvpe(void) { execvpe(Program, Words, None); }
static void callExecl(void) { execl(Program, "true", (char *)0); }
static void callExeclp(void) { execlp(Program, "true", (char *)0); }
static void callExecle(void) { execle(Program, "true", (char *)0, None); }
static void callFexecve(void) {
  fexecve(open(Program, O_RDONLY | O_CLOEXEC), Words, None);
}
static void callExecveat(void) { execveat(AT_FDCWD, Program, Words, None, 0); }
static int endAtOnce(void *Unused) {
  (void)Unused;
  return 0;
}
static void callClone(void) {
  static char Stack[65536];
  waitpid(clone(endAtOnce, Stack + sizeof Stack, SIGCHLD, 0), 0, 0);
}
static void callPrctl(void) { prctl(PR_SET_NAME, "one"); }
static void callSetName(void) { pthread_setname_np(pthread_self(), "two"); }
static void callSigwait(void) {
  int Signal;
  sigset_t Set;
  sigemptyset(&Set);
  sigaddset(&Set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &Set, 0);
  pthread_kill(pthread_self(), SIGUSR1);
  sigwait(&Set, &Signal);
  pthread_kill(pthread_self(), SIGUSR1);
  sigwaitinfo(&Set, 0);
}
static void *nothing(void *Unused) { return Unused; }
static void callCreate(void) {
  pthread_t Id;
  if (pthread_create(&Id, 0, nothing, 0) == 0)
    pthread_join(Id, 0);
}

static void (*const Calls[])(void) = {
    callExecve,  callExecv,   callExecvp,   callExecvpe, callExecl,
    callExeclp,  callExecle,  callFexecve,  callExecveat};
static void (*const OtherCalls[])(void) = {callClone, callPrctl, callSetName,
                                           callSigwait, callCreate};

static int Failed;

static void expectEnd(const char *What, pid_t Child) {
  int Status = 1;
  waitpid(Child, &Status, 0);
  if (Status != 0) {
    fprintf(stderr, "%s: %x\n", What, Status);
    Failed = 1;
  }
}

static void *useEverything(void *Unused) {
  free(malloc(10));
  for (size_t I = 0; I < sizeof OtherCalls / sizeof *OtherCalls; ++I)
    OtherCalls[I]();
  for (size_t I = 0; I < sizeof Calls / sizeof *Calls; ++I) {
    Program = "/does/not/exist";
    Calls[I]();
    Program = "/bin/true";
    const pid_t Child = I % 2 ? fork() : _Fork();
    if (Child == 0) {
      alarm(1800);
      Calls[I]();
      _exit(2);
    }
    expectEnd("an exec in a child", Child);
  }
  const pid_t Child = fork();
  if (Child == 0)
    _exit(daemon(1, 1) != 0);
  expectEnd("daemon", Child);
  return Unused;
}

void work(void) {
  pthread_t Id;
  if (pthread_create(&Id, 0, useEverything, 0) == 0)
    pthread_join(Id, 0);
}

int main(int Count, char **Arguments) {
  (void)Count;
  alarm(1800);
  if (!dlopen(Arguments[1], RTLD_NOW)) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  return Failed;
}
#endif
