// Intent: a child that was made without the C library's knowledge does not count by what its parent knew of stacks:
// it allocates where the parent did, below the same frames, and each has its blocks in its own trace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clang -O1 %s -o %t/words
// RUN: %inmem-clang -O1 -fno-omit-frame-pointer %s -o %t/pairs
// RUN: %inmem-clang -O1 -fplugin-arg-inmem-contexts=on %s -o %t/contexts
// RUN: sh -c 'for how in words pairs contexts; do mkdir %t/of-$how; cd %t/of-$how; INMEM_OPTIONS=stacks=16 ../$how || exit 1; \
// RUN:   for f in *; do %inmem flame --format folded $f || exit 1; done; done' | %FileCheck %s
// CHECK-COUNT-6: {{^}}main;each;Foo 1200{{$}}
// CHECK-NOT: Foo
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct Foo {
  int n[3];
};
static struct Foo *volatile Sink;
__attribute__((noinline)) static void each(void) {
  for (int i = 0; i < 100; ++i)
    Sink = malloc(sizeof(struct Foo));
}

int main(void) {
  pid_t pid = -1;
  for (int parent = 1; parent >= 0; --parent) {
    each();
    if (parent && (pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)) != 0)
      break;
  }
  int status = 0;
  if (pid > 0)
    waitpid(pid, &status, 0);
  return status;
}
