// Intent: `inmem ctl PID profile` starts, reads and stops samples of a running program, with the clock and interval that it names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -g %s -o %t.exe
// RUN: %python %S/Inputs/profile_ctl.py %t.exe %t.inmem
// RUN: %not %inmem ctl 1 profile start 1ms,cpu,wall 2>&1 | %FileCheck %s
// CHECK: ctl profile start: expected an interval {{.*}}, found '1ms,cpu,wall'
#include <cstdio>
#include <cstring>
#include <ctime>

static void *volatile Sink;

__attribute__((noinline)) static void crunch() {
  for (const clock_t End = clock() + CLOCKS_PER_SEC / 5; clock() < End;)
    for (int I = 0; I < 1000; ++I) {
      auto *P = new int;
      Sink = P;
      delete P;
    }
}

int main() {
  char Line[64];
  std::puts("ready");
  for (std::fflush(stdout); std::fgets(Line, sizeof Line, stdin);
       std::fflush(stdout)) {
    crunch();
    std::puts("ready");
  }
}
