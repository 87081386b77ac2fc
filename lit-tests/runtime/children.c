// Intent: with children=off only the program itself records: no process that it forks or executes does, whatever is in between; the program that
// it becomes by exec does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: %inmem-clang -O1 -static %s -o %t.static
// RUN: rm -rf %t && mkdir %t
// RUN: env INMEM_OPTIONS=output=%t/on.%%p.inmem %t.exe all | %FileCheck %s
// RUN: ls %t | grep -c '^on' | %FileCheck %s --check-prefix=ALL
// ALL: {{^}}6{{$}}
// RUN: env INMEM_OPTIONS=children=off:output=%t/off.%%p.inmem %t.exe all | %FileCheck %s
// RUN: env INMEM_OPTIONS=output=%t/static.%%p.inmem:children=off %t.static all | %FileCheck %s
// CHECK: done
// RUN: ls %t | grep -v '^on' | %FileCheck %s --check-prefix=ONE
// ONE: off.{{[0-9]+}}.inmem
// ONE-NEXT: static.{{[0-9]+}}.inmem
// ONE-NOT: {{.}}
// RUN: sh -c '%inmem report --format json %t/off.*.inmem' > %t.json
// RUN: %expect %t.json 'len(report.processes) == 1' 'totals.allocations >= 10' 'not any(s.function == "child" for s in sites)'

// A program that becomes another is the same process.
// RUN: env INMEM_OPTIONS=children=off:output=%t/exec.%%p.inmem %t.exe become
// RUN: ls %t | grep -c '^exec' | %FileCheck %s --check-prefix=BECAME
// BECAME: {{^}}2{{$}}

// What is not the program's: a shell between, and options that its children get from it.
// RUN: env INMEM_OPTIONS=children=off:output=%t/shell.%%p.inmem %t.exe shell
// RUN: ls %t | grep -c '^shell' | %FileCheck %s --check-prefix=SHELL
// SHELL: {{^}}1{{$}}
// RUN: %inmem run --quiet --trace %t/run.inmem --options children=off -- %t.exe all | %FileCheck %s
// RUN: ls %t | grep -c '^run' | %FileCheck %s --check-prefix=SHELL
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static void *volatile Sink;

__attribute__((noinline)) static void child(void) {
  for (int I = 0; I < 5; ++I)
    free(Sink = malloc(100));
}

static void await(pid_t Child) {
  int Status = 0;
  if (waitpid(Child, &Status, 0) != Child || Status != 0)
    exit(1);
}

static void forks(int Depth) {
  const pid_t Child = fork();
  if (Child == 0) {
    child();
    if (Depth > 1)
      forks(Depth - 1);
    exit(0);
  }
  await(Child);
}

int main(int Count, char **Arguments) {
  const char *What = Count > 1 ? Arguments[1] : "";
  for (int I = 0; I < 10; ++I)
    free(Sink = malloc(10));
  char *const Leaf[] = {Arguments[0], "leaf", NULL};
  char Command[4096];
  snprintf(Command, sizeof Command, "%s leaf", Arguments[0]);
  if (strcmp(What, "leaf") == 0) {
    child();
  } else if (strcmp(What, "become") == 0) {
    execv(Arguments[0], Leaf);
    return 1;
  } else if (strcmp(What, "shell") == 0) {
    return system(Command);
  } else {
    forks(2);
    pid_t Child;
    if (posix_spawn(&Child, Arguments[0], NULL, NULL, Leaf, environ) != 0)
      return 1;
    await(Child);
    Child = fork();
    if (Child == 0)
      _exit(execv(Arguments[0], Leaf));
    await(Child);
    if (system(Command) != 0)
      return 1;
    puts("done");
  }
  return 0;
}
