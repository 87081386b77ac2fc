// Intent: a program that ends with its last thread rather than by exit() ends so too with threads of the runtime's own running: exit handlers run, the exit code is 0, and the trace is whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t
// RUN: env INMEM_OPTIONS=output=%t.inmem:watch=10ms:watch_output=%t.lines timeout -s KILL 1800 %t main | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=%t.inmem:watch=1min:watch_output=%t.lines timeout -s KILL 1800 %t detached | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=%t.inmem:profile=1ms timeout -s KILL 1800 %t detached | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=%t.inmem:profile=1ms:profile_clock=cpu timeout -s KILL 1800 %t main | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=%t.inmem:periodic=3600 timeout -s KILL 1800 %t together | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=%t.inmem:periodic=3600:profile=1s:watch=10s:watch_output=%t.lines timeout -s KILL 1800 %t joined | %FileCheck %s
// RUN: %inmem report --format json %t.inmem | %FileCheck %s --check-prefix=WHOLE
// RUN: env INMEM_OPTIONS=output=%t.inmem:periodic=3600:profile=1s timeout -s KILL 1800 %t clone | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=%t.inmem timeout -s KILL 1800 %t watcher | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=%t.inmem:watch=5s:watch_output=%t.lines:profile=1s timeout -s KILL 1800 %t unseen | %FileCheck %s
// CHECK: at exit
// WHOLE: "complete":{{ ?}}true
#include "../Inputs/until.h"
#include <inmem/threads.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <unistd.h>

static inmem::ThreadWatcher Watcher;

static void start(void *(*Routine)(void *)) {
  pthread_t Id;
  pthread_create(&Id, nullptr, Routine, nullptr);
  pthread_detach(Id);
}

/// Until main's thread has ended.
static void awaitMain() { UNTIL(stateIn("/proc/self/stat") == 'Z'); }

static void *work(void *) {
  awaitMain();
  delete[] new char[100];
  return nullptr;
}

/// Waits for main's thread, which has called pthread_exit.
static void *join(void *Main) {
  pthread_join(*static_cast<pthread_t *>(Main), nullptr);
  return work(nullptr);
}

/// A thread that the C library does not know, and does not wait for.
static int cloned(void *) {
  for (;;)
    sleep(100);
}

static pthread_key_t LateKey;
static char Rounds[PTHREAD_DESTRUCTOR_ITERATIONS];
static std::atomic<bool> IsLate{false};
/// Outlives main's thread in the last round of destructors.
static void endLate(void *Round) {
  char *Next = static_cast<char *>(Round) + 1;
  if (Next < Rounds + sizeof Rounds)
    pthread_setspecific(LateKey, Next);
  else {
    IsLate = true;
    awaitMain();
  }
}

static pthread_t Main = pthread_self();

int main(int, char **Arguments) {
  const std::string How = Arguments[1];
  std::atexit([] { std::puts("at exit"); });
  delete[] new char[1000];
  if (How == "detached") {
    start(work);
  } else if (How == "together") {
    for (int I = 0; I < 8; ++I)
      start(work);
  } else if (How == "joined") {
    pthread_t Id;
    pthread_create(&Id, nullptr, join, &Main);
  } else if (How == "clone") {
    static char Stack[65536];
    clone(cloned, Stack + sizeof Stack,
          CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
              CLONE_SYSVSEM,
          nullptr);
  } else if (How == "watcher") {
    Watcher.on_died([](const inmem::ThreadInfo &) {});
    Watcher.start();
  } else if (How == "unseen") {
    // It ends last, long after the runtime has seen it end.
    pthread_key_create(&LateKey, endLate);
    start([](void *) -> void * {
      pthread_setspecific(LateKey, Rounds);
      return nullptr;
    });
    UNTIL(IsLate.load());
  }
  pthread_exit(nullptr);
}
