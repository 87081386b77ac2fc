// Intent: plain clang with --config=inmem.cfg does what the wrapper does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx --config=%config -Wall -Werror -O2 -c %s -o %t.o 2>&1 | %FileCheck %s --allow-empty
// CHECK-NOT: {{.}}
// RUN: %clangxx --config=%config -Werror %t.o -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Config"].allocations == 2' 'types["Config"].frees == 1'

struct Config {
  long values[4];
};
static Config *volatile Sink;

int main() {
  Sink = new Config;
  delete Sink;
  Sink = new Config;
}
