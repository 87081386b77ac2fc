// Intent: what only a process with one thread may do (enter namespaces) works with profile=, periodic= and watch=, whose threads go on afterwards; in a forked child too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 -pthread %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe > %t.plain < /dev/null
// The program goes on until the report has what the threads write after its calls.
// RUN: rm -f %t.periodic* && env INMEM_OPTIONS=output=%t.periodic.inmem:periodic=0.02 %until %t.periodic.inmem 'sum(p.kind == "periodic" for p in report.timeline.points) >= 6' -- %t.exe > %t.out && cmp %t.plain %t.out
// RUN: env INMEM_OPTIONS=output=%t.inmem:profile=5ms %until %t.inmem 'report.profile.samples > 20' -- %t.exe > %t.out && cmp %t.plain %t.out
// RUN: env INMEM_OPTIONS=output=%t.inmem:profile=1ms:profile_clock=cpu %until %t.inmem 'report.profile.samples > 20' -- %t.exe > %t.out && cmp %t.plain %t.out
// RUN: rm -f %t.lines
// RUN: env INMEM_OPTIONS=output=%t.inmem:watch=5ms:watch_output=%t.lines %t.exe > %t.out < /dev/null && cmp %t.plain %t.out
// RUN: %FileCheck %s < %t.lines
// CHECK: thread 'early'{{.*}} died
// CHECK: thread 'late'{{.*}} created
// CHECK: thread 'late'{{.*}} died
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *named(void *Name) {
  pthread_setname_np(pthread_self(), Name);
  return NULL;
}

static void aThread(const char *Name) {
  pthread_t Id;
  pthread_create(&Id, NULL, named, (void *)Name);
  pthread_join(Id, NULL);
}

/// Takes CPU time, and sleeps, until the input ends.
static void work(void) {
  struct pollfd In = {.fd = 0, .events = POLLIN};
  do
    for (clock_t End = clock() + CLOCKS_PER_SEC / 100; clock() < End;) {
    }
  while (poll(&In, 1, 10) != 1); // a sample interrupts it
}

static void enter(const char *Whose) {
  const int Mount = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
  const int First = setns(Mount, 0);
  printf("%s: setns %d %s\n", Whose, First, First ? strerror(errno) : "");
  close(Mount);
  const int Second = unshare(CLONE_NEWUSER);
  printf("%s: unshare %d %s\n", Whose, Second, Second ? strerror(errno) : "");
  const int Third = unshare(-1);
  printf("%s: nonsense %d %s\n", Whose, Third, Third ? strerror(errno) : "");
  fflush(stdout);
}

int main(void) {
  aThread("early");
  if (fork() == 0) {
    free(malloc(10)); // its own periodic thread begins
    enter("child");
    _Exit(0);
  }
  wait(NULL);
  enter("parent");
  aThread("late");
  work();
  return 0;
}
