// Intent: `inmem run` records programs that were not instrumented, and passes their exit code on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O1 %s -o %t.plain
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: sh -c '%inmem run -- %t.plain; echo "exit code $?"' > %t.out 2>&1
// RUN: %FileCheck %s < %t.out
// CHECK: program output
// CHECK: 100
// CHECK: exit code 5

#include <cstdio>
#include <cstdlib>

static void *volatile Sink;

int main() {
  for (int i = 0; i < 100; ++i)
    Sink = std::malloc(1000);
  std::puts("program output");
  std::fflush(stdout);
  return 5;
}
