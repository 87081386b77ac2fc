// Intent: on a file system without shared mappings the trace is written when the program ends,
// flushes or takes a snapshot; one line says so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clang -O1 %inputs/no-shared-mappings.c -o %t.without
// RUN: %inmem-clangxx -O1 -pthread -I %include %s -o %t.exe
// RUN: rm -f %t.*.inmem
// RUN: env INMEM_OPTIONS=output=%t.end.inmem %t.without %t.exe 2> %t.said
// RUN: %FileCheck %s --match-full-lines < %t.said
// CHECK: inmem: the file system of {{.*}}end.inmem has no shared mappings ({{.*}}): the trace is written when the program ends, and is lost if it is killed
// CHECK-NOT: {{.}}
// RUN: %inmem report --format json %t.end.inmem > %t.json
// RUN: %expect %t.json 'types["Item"].allocations == 3000' 'types["Item"].live_allocations == 30' 'processes[0].complete' 'report.notes == []'
// RUN: env INMEM_OPTIONS=output=%t.trace.inmem:mode=trace %t.without %t.exe 2> %t.said
// RUN: %inmem report --format json %t.trace.inmem > %t.json
// RUN: %inmem dump --events %t.trace.inmem > %t.dump && %check-events %t.dump %t.json
// Killed: what the last flush wrote.
// RUN: %not --crash env INMEM_OPTIONS=output=%t.kill.inmem %t.without %t.exe kill 2> %t.said
// RUN: %inmem report --format json %t.kill.inmem > %t.json
// RUN: %expect %t.json 'types["Item"].allocations == 1000' 'not processes[0].complete'
// A child has a file of its own.
// RUN: rm -rf %t.folder && mkdir %t.folder && cd %t.folder && %t.without %t.exe fork
// RUN: cd %t.folder && %inmem report --format json inmem.*.inmem > %t.json
// RUN: %expect %t.json 'len(processes) == 2' 'types["Item"].allocations == 3000' 'types["Other"].allocations == 10' 'report.before_fork.allocations >= 30'

#include "inmem/inmem.h"
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

struct Item {
  long values[3];
};
struct Other {
  char bytes[50];
};
static void *volatile Sink;

static void work() {
  for (int i = 0; i < 1000; ++i) {
    Item *one = new Item;
    Sink = one;
    if (i >= 10)
      delete one;
  }
}

int main(int argc, char **argv) {
  work();
  inmem_flush();
  std::thread(work).join();
  if (argc > 1 && !std::strcmp(argv[1], "kill"))
    std::raise(SIGKILL);
  work();
  if (argc > 1 && !std::strcmp(argv[1], "fork")) {
    pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 10; ++i)
        Sink = new Other;
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
}
