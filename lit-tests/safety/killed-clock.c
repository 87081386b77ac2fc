// Intent: the trace of a program that is killed says how long it ran: up to its last events, not to its last new site.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O2 -pthread %s -o %t.exe
// RUN: rm -f %t.inmem
// RUN: sh -c 'date +%%s%%N; INMEM_OPTIONS=output=%t.inmem %not --crash %t.exe main; date +%%s%%N' > %t.took
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'not processes[0].complete' '1.1e9 <= processes[0].duration_ns' \
// RUN:   '(lambda took: processes[0].duration_ns <= took[1] - took[0] + 1e8)([int(line) for line in open("%{t}.took")])'
// The thread whose events came last decides, with each clock that knows time.
// RUN: sh -c 'date +%%s%%N; INMEM_OPTIONS=clock=exact:output=%t.inmem %not --crash %t.exe thread; date +%%s%%N' > %t.took
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'not processes[0].complete' '1.1e9 <= processes[0].duration_ns' \
// RUN:   '(lambda took: processes[0].duration_ns <= took[1] - took[0] + 1e8)([int(line) for line in open("%{t}.took")])'
// RUN: %inmem report --full %t.inmem | %FileCheck %s
// CHECK: inmem {{.*}} (pid {{[0-9]+}} · {{[1-9][0-9]?.*}} s

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static void *volatile sink;

static void *churn(void *unused) {
  (void)unused;
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    for (int i = 0; i < 1000; ++i) {
      sink = malloc(64);
      free(sink);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1e9 + (now.tv_nsec - begin.tv_nsec) < 1.2e9);
  return NULL;
}

int main(int argc, char **argv) {
  (void)argc;
  if (argv[1][0] == 't') {
    pthread_t thread;
    pthread_create(&thread, NULL, churn, NULL);
    pthread_join(thread, NULL);
  } else {
    churn(NULL);
  }
  raise(SIGKILL);
}
