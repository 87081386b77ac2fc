// REQUIRES: asan, ubsan, tsan
// Intent: programs with sanitizers still run, still find their bugs, and are counted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fsanitize=address %s -o %t.asan
// RUN: env ASAN_OPTIONS=detect_leaks=0 %record %t.json -- %t.asan
// RUN: %expect %t.json 'types["Item"].allocations == 100'
// RUN: %not env ASAN_OPTIONS=detect_leaks=0 INMEM_OPTIONS=output=%t.bad.inmem %t.asan bad 2>&1 | %FileCheck %s
// CHECK: AddressSanitizer: heap-use-after-free
// RUN: %inmem-clangxx -O1 -fsanitize=undefined %s -o %t.ubsan
// RUN: %record %t.json -- %t.ubsan
// RUN: %expect %t.json 'types["Item"].allocations == 100'
// RUN: %inmem-clangxx -O1 -fsanitize=thread %s -o %t.tsan
// RUN: %record %t.json -- %t.tsan
// RUN: %expect %t.json 'types["Item"].allocations == 100'

struct Item {
  int a, b;
};
static Item *volatile Sink;

int main(int argc, char **) {
  for (int i = 0; i < 100; ++i) {
    Sink = new Item;
    delete Sink;
  }
  return argc > 1 ? Sink->a : 0;
}
