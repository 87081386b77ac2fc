// Intent: a program that limits its own address space when it already runs has what it asked for: the
// runtime keeps no addresses that it does not use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -std=c++17 -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Item"].allocations == 200000' 'processes[0].complete'
// RUN: env INMEM_OPTIONS=mode=trace:output=%t.inmem %t.exe
// RUN: %inmem report --format json %t.inmem > %t.trace.json
// RUN: %expect %t.trace.json 'types["Item"].allocations == 200000' 'processes[0].complete'

#include <memory>
#include <sys/resource.h>
#include <thread>
#include <vector>

struct Item {
  long values[20];
};

int main() {
  rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = 600u << 20;
  if (setrlimit(RLIMIT_AS, &limit) != 0)
    return 1;
  std::vector<std::unique_ptr<Item>> items;
  for (int i = 0; i < 200000; ++i)
    items.push_back(std::make_unique<Item>());
  std::thread([&items] { items.clear(); }).join();
  return 0;
}
