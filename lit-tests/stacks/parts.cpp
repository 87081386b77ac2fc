// Intent: a flame graph of a part of what happened: of sites, of threads, of a phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fno-inline -I%include -pthread %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:stacks=16 %t.exe
// RUN: %inmem flame --format folded --metric count --type Foo %t.inmem | %FileCheck %s --check-prefix=ALL
// RUN: %inmem flame --format folded --metric count --site parts.cpp %t.inmem | %FileCheck %s --check-prefix=ALL
// ALL-DAG: {{^}}main;early;makeOne;Foo 3{{$}}
// ALL-DAG: {{^}}main;late;makeOne;Foo 4{{$}}
// ALL-DAG: {{^}}main;late;makeTwo;Foo 5{{$}}
// ALL-DAG: run{{.*}};makeTwo;Foo 6{{$}}
// RUN: %inmem flame --format folded --metric count --site makeTwo %t.inmem | %FileCheck %s --check-prefix=SITE
// SITE-NOT: makeOne
// SITE-DAG: {{^}}main;late;makeTwo;Foo 5{{$}}
// SITE-DAG: run{{.*}};makeTwo;Foo 6{{$}}
// SITE-NOT: makeOne
// RUN: %inmem flame --format folded --metric count --thread helper %t.inmem | %FileCheck %s --check-prefix=THREAD
// THREAD-NOT: main
// THREAD: run{{.*}};makeTwo;Foo 6{{$}}
// THREAD-NOT: main
// RUN: %inmem flame --format folded --metric count --phase later --type Foo %t.inmem | %FileCheck %s --check-prefix=PHASE
// PHASE-NOT: early
// PHASE-DAG: {{^}}main;late;makeOne;Foo 4{{$}}
// PHASE-DAG: {{^}}main;late;makeTwo;Foo 5{{$}}
// PHASE-NOT: early

#include <inmem/inmem.h>
#include <pthread.h>

struct Foo {
  int values[10];
};

void makeOne() {
  Foo *foo = new Foo;
  asm volatile("" : : "r"(foo) : "memory"); // or none would be made
  delete foo;
  asm volatile("");
}
void makeTwo() {
  Foo *foo = new Foo;
  asm volatile("" : : "r"(foo) : "memory"); // or none would be made
  delete foo;
  asm volatile("");
}

void early() {
  for (int i = 0; i < 3; ++i)
    makeOne();
  asm volatile("");
}
void late() {
  for (int i = 0; i < 4; ++i)
    makeOne();
  for (int i = 0; i < 5; ++i)
    makeTwo();
  asm volatile("");
}
void *run(void *) {
  pthread_setname_np(pthread_self(), "helper");
  for (int i = 0; i < 6; ++i)
    makeTwo();
  return nullptr;
}

int main() {
  early();
  inmem_phase("later");
  late();
  inmem_phase("last");
  pthread_t thread;
  pthread_create(&thread, nullptr, run, nullptr);
  pthread_join(thread, nullptr);
}
