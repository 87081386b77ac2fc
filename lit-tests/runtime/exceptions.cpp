// Intent: a constructor that throws gives its memory back; the exception object itself is counted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0  %s -o %t.O0
// RUN: %record %t.O0.json -- %t.O0
// RUN: %expect %t.O0.json \
// RUN:   'types["Picky"].allocations == 10' \
// RUN:   'types["Picky"].frees == 10' \
// RUN:   'totals.live_allocations <= 2'
// RUN: %inmem-clangxx -O2  %s -o %t.O2
// RUN: %record %t.O2.json -- %t.O2
// RUN: %expect %t.O2.json \
// RUN:   'types["Picky"].allocations == 10' \
// RUN:   'types["Picky"].frees == 10' \
// RUN:   'totals.live_allocations <= 2'
// RUN: env INMEM_OPTIONS=mode=off %t.O2 | %FileCheck %s
// CHECK: 5 thrown, 5 made

#include <cstdio>
#include <stdexcept>

struct Picky {
  int n;
  [[gnu::noinline]] explicit Picky(int n);
};
Picky::Picky(int n) : n(n) {
  if (n % 2)
    throw std::runtime_error("odd");
}

int main() {
  int thrown = 0, made = 0;
  for (int i = 0; i < 10; ++i)
    try {
      Picky *picky = new Picky(i);
      made += picky->n == i;
      delete picky;
    } catch (const std::runtime_error &error) {
      ++thrown;
    }
  std::printf("%d thrown, %d made\n", thrown, made);
}
