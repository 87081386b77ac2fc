// Intent: a program killed by SIGKILL leaves a trace with every counted allocation in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -pthread %s -o %t.exe
// RUN: rm -f %t.inmem
// RUN: %not --crash env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'types["Item"].allocations == 20000' 'types["Item"].frees == 15000' \
// RUN:   'types["Item"].live_allocations == 5000' 'not processes[0].complete'
// RUN: %inmem report --full %t.inmem | %FileCheck %s
// CHECK: Item

#include <csignal>
#include <thread>

struct Item {
  long values[3];
};
static Item *volatile Sink;

static void work() {
  for (int i = 0; i < 10000; ++i) {
    Item *item = new Item;
    Sink = item;
    if (i % 4)
      delete item;
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  raise(SIGKILL);
}
