// Intent: a program has its lines, and its own exit status, wherever it ends: in a thread with the
// least stack, in a signal handler, in a forked child, while other threads allocate.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -g -O1 -pthread %s -o app
// RUN: env INMEM_OPTIONS=stacks=16:output=thread.inmem sh -c './app t; test $? = 5'
// RUN: env INMEM_OPTIONS=stacks=16:output=signal.inmem sh -c './app s; test $? = 6'
// RUN: env INMEM_OPTIONS=stacks=16:output=busy.inmem sh -c './app b; test $? = 8'
// RUN: env INMEM_OPTIONS=stacks=16:output=fork.inmem sh -c './app f; test $? = 3'
// RUN: env INMEM_OPTIONS=frees=on:output=frees.inmem sh -c './app s; test $? = 6'
// RUN: rm app
// RUN: %inmem report --by stack --lines --top 0 thread.inmem | %FileCheck %s --check-prefixes=MAIN,THREAD
// RUN: %inmem report --by stack --lines --top 0 signal.inmem | %FileCheck %s --check-prefix=MAIN
// RUN: %inmem report --by stack --lines --top 0 busy.inmem | %FileCheck %s --check-prefix=MAIN
// RUN: sh -c 'for trace in fork*.inmem; do %inmem report --by stack --lines --top 0 $trace; done' | %FileCheck %s --check-prefixes=MAIN,CHILD
// RUN: %inmem dump frees.inmem | %FileCheck %s --check-prefix=FREES
// FREES: symbol address
// FREES: frame function="{{.*}}work{{.*}}" file="{{.*}}lines-ends.cpp" line=

#include <csignal>
#include <cstdlib>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

struct Foo {
  int values[9];
};
__attribute__((noinline)) static void work() {
  for (int i = 0; i < 3; ++i) {
    Foo *foo = new Foo;
    asm volatile("" : : "r"(foo) : "memory");
    delete foo;
  }
}
static void *endInThread(void *) {
  // THREAD-DAG: endInThread {{.*}}lines-ends.cpp:[[#@LINE+1]]{{$}}
  work();
  std::exit(5);
}
static void *workOn(void *) {
  for (;;)
    work();
}

int main(int, char **argv) {
  // MAIN-DAG: main {{.*}}lines-ends.cpp:[[#@LINE+1]]{{$}}
  work();
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16384);
  switch (argv[1][0]) {
  case 't':
    pthread_create(&thread, &attributes, endInThread, nullptr);
    pthread_join(thread, nullptr);
    break;
  case 's': {
    static char stack[16384];
    stack_t alternate = {};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, nullptr);
    struct sigaction action = {};
    action.sa_handler = [](int) { std::exit(6); };
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, nullptr);
    raise(SIGUSR1);
    break;
  }
  case 'b':
    pthread_create(&thread, nullptr, workOn, nullptr);
    std::exit(8);
  case 'f': {
    const pid_t child = fork();
    if (child == 0) {
      // CHILD-DAG: main {{.*}}lines-ends.cpp:[[#@LINE+1]]{{$}}
      work();
      std::exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  }
  return 1;
}
