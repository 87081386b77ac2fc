// Intent: requests that fail: null from nothrow forms, new-handlers called, bad_alloc thrown
// through our frames, lengths that overflow; none of them is a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O2 %s -o %t.plain && %t.plain > %t.plain.out
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: %record %t.json -- %t.exe > %t.out
// RUN: diff %t.plain.out %t.out
// RUN: %FileCheck %s < %t.out
// CHECK: failed 30, handled 1, thrown 12
// RUN: %expect %t.json '"Huge" not in types or types["Huge"].allocations == 0' 'totals.allocated_bytes < 10**6'

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

struct Huge {
  char bytes[1 << 20];
};
static int Handled;
static void *volatile Sink;

int main() {
  volatile std::size_t count = SIZE_MAX / 4 / sizeof(Huge);
  int failed = 0, thrown = 0;
  for (int i = 0; i < 10; ++i) {
    Sink = new (std::nothrow) Huge[count];
    failed += Sink == nullptr;
    Sink = std::malloc(count * sizeof(Huge));
    failed += Sink == nullptr;
    Sink = std::calloc(count, sizeof(Huge) * 8);
    failed += Sink == nullptr;
    try {
      Sink = new Huge[count];
    } catch (const std::bad_alloc &) {
      ++thrown;
    }
  }
  try {
    Sink = new Huge[count * 8];
  } catch (const std::bad_alloc &) {
    ++thrown;
  }
  std::set_new_handler([] {
    ++Handled;
    std::set_new_handler(nullptr);
  });
  try {
    Sink = ::operator new(SIZE_MAX / 4);
  } catch (const std::bad_alloc &) {
    ++thrown;
  }
  std::printf("failed %d, handled %d, thrown %d\n", failed, Handled, thrown);
}
