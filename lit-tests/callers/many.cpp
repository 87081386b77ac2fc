// Intent: a site tells 4096 callers apart; further ones count for the site itself, and nothing is lost. Two threads see the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "print('ONE\n' * 4100)" > %t/lines.h
// RUN: %inmem-clangxx -O2 -fno-inline -I%t %s -o %t/exe -pthread
// RUN: rm -f %t/inmem && env INMEM_OPTIONS=output=%t/inmem %t/exe
// RUN: %inmem report %t/inmem --format json > %t/json && %python %S/Inputs/lines.py %t/json lines.h > %t/lines
// RUN: head -1 %t/lines | %FileCheck %s
// RUN: grep -c ": 6$" %t/lines | %FileCheck %s --check-prefix=LINES
// CHECK: whole
// LINES: 4096
#include <thread>
#include <vector>

struct Item {
  long Part;
};
// One line each: 4100 of them.
#define ONE                                                                    \
  {                                                                            \
    std::vector<Item> V;                                                       \
    V.reserve(1);                                                              \
    asm volatile("" ::"r"(&V) : "memory");                                     \
  }
void all() {
  for (int I = 0; I < 3; ++I) {
#include "lines.h"
  }
}
int main() {
  std::thread A(all), B(all);
  A.join();
  B.join();
}
