// Intent: fully static executables in C++: operators, containers, exceptions, threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -static -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 200' 'types["Item"].live_allocations == 20'

#include <stdexcept>
#include <thread>
#include <vector>

struct Item {
  int a = 1, b = 2;
};

static void work() {
  std::vector<Item *> items;
  for (int i = 0; i < 100; ++i)
    items.push_back(new Item);
  try {
    items.at(100);
  } catch (const std::out_of_range &) {
    for (int i = 0; i < 90; ++i)
      delete items[i];
  }
}

int main() {
  std::thread other(work);
  other.join();
  work();
}
