// Intent: a program that aborts or crashes leaves its trace too, and dies of the same signal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem sh -c '%t.exe abort; echo "exit code $?"' 2>&1 | %FileCheck %s --check-prefix=ABORT
// ABORT: exit code 134
// RUN: %inmem report --format json %t.inmem > %t.json && %expect %t.json 'types["Item"].live_allocations == 10'
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem sh -c '%t.exe crash; echo "exit code $?"' 2>&1 | %FileCheck %s --check-prefix=CRASH
// CRASH: exit code 139
// RUN: %inmem report --format json %t.inmem > %t.json && %expect %t.json 'types["Item"].live_allocations == 10'

#include <cstdlib>
#include <cstring>

struct Item {
  int values[3];
};
static Item *volatile Sink;

int main(int, char **argv) {
  for (int i = 0; i < 10; ++i)
    Sink = new Item;
  if (std::strcmp(argv[1], "abort") == 0)
    std::abort();
  volatile int *volatile nowhere = nullptr;
  *nowhere = 1;
}
