// Intent: contexts that are not as predicted and would read the same are told apart by the first callers that differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clangxx -O1 -g %s -o %t/recorded
// RUN: env INMEM_OPTIONS=stacks=12:clock=events:output=%t/deleted.inmem %t/recorded
// RUN: env INMEM_OPTIONS=stacks=12:clock=events:output=%t/kept.inmem %t/recorded keep
// RUN: %not %inmem verify-optimization %t/deleted.inmem %t/kept.inmem | %FileCheck %s
// CHECK: NOT AS PREDICTED
// CHECK-NEXT: context
// CHECK-NEXT: 97.7 KiB 1000 short steady make:+0 < … < first:+0
// CHECK-NEXT: 48.8 KiB 1000 short steady make:+0 < … < second:+0
// CHECK-NEXT: 9.8 KiB 1000 short steady make:+0 < third
// CHECK-NOT: steady

static char *Kept[3000];
static int Count;
static bool Keeps;

__attribute__((noinline)) char *make(int Size) { return new char[Size]; }
__attribute__((noinline)) char *pass(int Size) { return make(Size) + 0 * Count++; }

__attribute__((noinline)) void take(char *Block) {
  if (Keeps)
    Kept[Count] = Block;
  else
    delete[] Block;
}

__attribute__((noinline)) void first() { take(pass(100)); }
__attribute__((noinline)) void second() { take(pass(50)); }
__attribute__((noinline)) void third() { take(make(10)); }

int main(int argc, char **) {
  Keeps = argc > 1;
  for (int i = 0; i < 1000; ++i) {
    first();
    second();
    third();
  }
  return Kept[0] != nullptr && Count == 0;
}
