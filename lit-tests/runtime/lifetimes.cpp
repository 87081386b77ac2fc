// Intent: lifetimes in the default report are true: long lives and short ones lie apart.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Sleeper"].lifetime.min >= 50e6' 'types["Sleeper"].lifetime.max <= report.processes[0].duration_ns' \
// RUN:   'types["Brief"].lifetime.p50 < 1e6' 'types["Brief"].lifetime.count == 20000' 'types["Sleeper"].lifetime.unit == "ns"'
// RUN: %record %t.json clock=exact -- %t.exe
// RUN: %expect %t.json 'types["Brief"].lifetime.timed == 20000' 'types["Sleeper"].lifetime.min >= 50e6'

#include <unistd.h>

struct Sleeper {
  int a;
};
struct Brief {
  int a[4];
};
static void *volatile Sink;

int main() {
  Sleeper *sleepers[10];
  for (auto &one : sleepers)
    Sink = one = new Sleeper;
  for (int i = 0; i < 20000; ++i) {
    Brief *brief = new Brief;
    Sink = brief;
    delete brief;
  }
  usleep(50000);
  for (auto *one : sleepers)
    delete one;
}
