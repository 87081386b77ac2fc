// Intent: on the events clock threads count by themselves and tell the process in steps of 16 KiB: a life that others'
// allocations fall into is that much off at most, whoever frees the block, also where a thread allocates nothing itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -pthread %s -o %t.exe
// RUN: %record %t.json clock=events -- %t.exe
// Main's own bytes, and those of two threads.
// RUN: %expect %t.json '3200000 <= types["Kept"].lifetime.min < 3200000 + 65536' \
// RUN:   '200000 <= types["Kept"].lifetime_in_allocations.min < 200000 + 4096'
// What main has told when another thread frees its blocks.
// RUN: %expect %t.json '1000000 - 16384 < types["Passed"].lifetime.min' 'types["Passed"].lifetime.max < 1000000 + 16384' \
// RUN:   '1000 - 16 <= types["Passed"].lifetime_in_allocations.min' 'types["Passed"].lifetime_in_allocations.max < 1000 + 32'
// RUN: %expect %t.json 'types["Brief"].allocations == 200000' 'types["Brief"].frees == 200000' \
// RUN:   'types["Brief"].lifetime.timed == 200000' 'types["Brief"].lifetime.p50 < 8' \
// RUN:   'types["Brief"].lifetime_in_allocations.count == 200000' 'types["Passed"].lifetime_in_allocations.count == 10' \
// RUN:   'processes[0].dropped_events == 0'
// RUN: %inmem report --full --diagnostics %t.json.inmem 2>&1 | %FileCheck %s
// CHECK: 0 diagnostics of the reader, 0 of the verifier

#include <thread>

struct Kept {
  char Bytes[100];
};
struct Brief {
  int Values[4];
};
struct Passed {
  long Values[5];
};
static void *volatile Sink;

static void work() {
  for (int I = 0; I < 100000; ++I) {
    Brief *B = new Brief;
    Sink = B;
    delete B;
  }
}

int main() {
  Kept *K = new Kept;
  Sink = K;
  std::thread A(work), B(work);
  A.join();
  B.join();
  delete K;
  Passed *All[10];
  for (Passed *&P : All)
    Sink = P = new Passed;
  for (int I = 0; I < 1000; ++I) {
    char *Filler = new char[1000];
    Sink = Filler;
    delete[] Filler;
  }
  std::thread([&] {
    for (Passed *P : All)
      delete P;
  }).join();
}
