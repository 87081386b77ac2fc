// Intent: stacks from a signal handler, from one on an alternate stack, from another context's
// stack, and from a thread, all arrive where they began; so do those of a forked child, and what
// a killed process left.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fno-inline -pthread %s -o %t.exe
// RUN: rm -rf %t && mkdir %t
// RUN: env INMEM_OPTIONS=output=%t/%%p.inmem:stacks=64 %not --crash %t.exe
// RUN: %inmem flame --format folded --metric count %t/*.inmem | %FileCheck %s

// CHECK-DAG: {{^}}main;forked;inChild;Foo 1{{$}}
// CHECK-DAG: {{^}}main;interrupted;{{.*}};(signal);onSignal;make;Foo 1{{$}}
// CHECK-DAG: {{^}}main;interruptedElsewhere;{{.*}};(signal);onSignal;make;Foo 1{{$}}
// CHECK-DAG: {{^}}inContext;make;Foo 1{{$}}
// CHECK-DAG: {{^}}inThread;make;Foo 1{{$}}
// CHECK-DAG: {{^}}main;deep;make;Foo 1{{$}}

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

struct Foo {
  int values[10];
};
Foo *volatile last;

void make() {
  last = new Foo;
  asm volatile("");
}

void onSignal(int) {
  make();
  asm volatile("");
}

void interrupted() {
  kill(getpid(), SIGUSR1);
  asm volatile("");
}

void interruptedElsewhere() {
  void *memory = mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = 65536;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR2, &action, nullptr);
  kill(getpid(), SIGUSR2);
  asm volatile("");
}

static ucontext_t home, away;
void inContext() {
  make();
  asm volatile("");
}

// The stack ends where memory ends.
void runContext() {
  char *memory = static_cast<char *>(
      mmap(nullptr, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + 15 * 4096, 4096, PROT_NONE);
  getcontext(&away);
  away.uc_stack.ss_sp = memory;
  away.uc_stack.ss_size = 15 * 4096;
  away.uc_link = &home;
  makecontext(&away, inContext, 0);
  swapcontext(&home, &away);
}

void *inThread(void *) {
  make();
  asm volatile("");
  return nullptr;
}

void inChild() {
  last = new Foo;
  asm volatile("");
}
void forked() {
  if (fork() == 0) {
    inChild();
    _exit(0);
  }
  wait(nullptr);
}

// More of the stack than was touched before.
int deep(int depth) {
  volatile char room[5000] = {};
  int result = depth > 0 ? deep(depth - 1) + room[depth] : 0;
  if (depth == 0)
    make();
  return result;
}

int main() {
  signal(SIGUSR1, onSignal);
  interrupted();
  interruptedElsewhere();
  runContext();
  pthread_t thread;
  pthread_create(&thread, nullptr, inThread, nullptr);
  pthread_join(thread, nullptr);
  forked();
  deep(40);
  kill(getpid(), SIGKILL);
}
