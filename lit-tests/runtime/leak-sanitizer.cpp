// REQUIRES: asan
// Intent: a program that LeakSanitizer or AddressSanitizer ends has a complete trace, and is not said to have been killed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fsanitize=address %s -o %t.asan
// RUN: %inmem-clangxx -O1 -fsanitize=leak %s -o %t.lsan
// RUN: %inmem-clangxx -O1 -fsanitize=undefined %s -o %t.ubsan
// RUN: %not env INMEM_OPTIONS=output=%t.leak.inmem %t.asan leak 2>&1 | %FileCheck %s
// CHECK: LeakSanitizer: detected memory leaks
// RUN: %inmem report --full %t.leak.inmem | %FileCheck %s --check-prefix=REPORT
// RUN: %not env INMEM_OPTIONS=output=%t.lsan.inmem %t.lsan leak
// RUN: %inmem report --full %t.lsan.inmem | %FileCheck %s --check-prefix=REPORT
// REPORT-NOT: killed
// REPORT-NOT: note:
// REPORT: Item
// RUN: %not env INMEM_OPTIONS=output=%t.bad.inmem ASAN_OPTIONS=detect_leaks=0 %t.asan bad
// RUN: %inmem report --full %t.bad.inmem | %FileCheck %s --check-prefix=REPORT
// RUN: env INMEM_OPTIONS=output=%t.ub.inmem %t.ubsan
// RUN: %inmem report --full %t.ub.inmem | %FileCheck %s --check-prefix=REPORT

// One that is really killed still says so.
// RUN: %not --crash env INMEM_OPTIONS=output=%t.killed.inmem %t.ubsan kill
// RUN: %inmem report --full %t.killed.inmem | %FileCheck %s --check-prefix=KILLED
// KILLED: not complete
#include <csignal>
#include <cstring>

struct Item {
  int A[100];
};
static Item *volatile Sink;

int main(int Count, char **Words) {
  const char *Mode = Count > 1 ? Words[1] : "";
  for (int I = 0; I < 100; ++I) {
    Sink = new Item;
    if (std::strcmp(Mode, "leak") != 0)
      delete Sink;
  }
  if (!std::strcmp(Mode, "bad"))
    return Sink->A[0];
  if (!std::strcmp(Mode, "kill"))
    std::raise(SIGKILL);
  Sink = nullptr;
}
