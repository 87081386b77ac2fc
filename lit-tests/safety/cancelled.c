// Intent: nothing in the runtime is a cancellation point. A thread with a pending
// pthread_cancel goes on as far as it would without inmem, and the runtime's mutex is
// free afterwards.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -I%include -O1 -pthread %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.flush.inmem %t.exe flush
// RUN: env INMEM_OPTIONS=output=%t.full.inmem:mode=trace %t.exe fill 2> %t.err
// RUN: %FileCheck %s < %t.err
// CHECK: inmem: the trace cannot grow (File too large)
// RUN: %inmem report %t.flush.inmem > /dev/null
// RUN: %inmem report %t.full.inmem > /dev/null
#define _GNU_SOURCE
#include <inmem/inmem.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static int Fills;
static pthread_barrier_t Asked;
static volatile int Reached;
static void *volatile Sink;

static void *work(void *Unused) {
  (void)Unused;
  Sink = malloc(1); // starts recording on this thread
  free(Sink);
  pthread_barrier_wait(&Asked); // not a cancellation point
  pthread_barrier_wait(&Asked); // the cancellation is pending now
  if (Fills)
    for (int I = 0; I < 2000000; ++I) {
      Sink = malloc(64 + I % 1000);
      free(Sink);
    }
  else
    inmem_flush();
  Reached = 1;
  pthread_testcancel();
  Reached = 2; // must not get here
  return 0;
}

int main(int Count, char **Arguments) {
  if (Count != 2)
    return 2;
  Fills = strcmp(Arguments[1], "fill") == 0;
  if (Fills) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit Limit = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &Limit);
  }
  pthread_barrier_init(&Asked, 0, 2);
  pthread_t Thread;
  pthread_create(&Thread, 0, work, 0);
  pthread_barrier_wait(&Asked);
  pthread_cancel(Thread);
  pthread_barrier_wait(&Asked);
  struct timespec Until;
  clock_gettime(CLOCK_REALTIME, &Until);
  Until.tv_sec += 1800;
  void *Result = 0;
  if (pthread_timedjoin_np(Thread, &Result, &Until) != 0) {
    fprintf(stderr, "the cancelled thread never ended\n");
    _Exit(1);
  }
  if (Result != PTHREAD_CANCELED || Reached != 1) {
    fprintf(stderr, "cancelled too early or not at all: %d\n", Reached);
    return 1;
  }
  inmem_flush(); // takes the mutex
  return 0;
}
