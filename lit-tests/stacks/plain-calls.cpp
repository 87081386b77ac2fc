// Intent: where no function has left its frame to another, no frame of a stack is said to be one that did.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:stacks=16 %t.exe
// RUN: %inmem flame --format folded %t.inmem | %FileCheck %s --check-prefix=FOLDED
// FOLDED: main;outer;inner;Foo 12
// RUN: %inmem dump %t.inmem | %FileCheck %s --implicit-check-not=tail-call
// CHECK: stack id=

struct Foo {
  int n[3];
};
static Foo *volatile Sink;
__attribute__((noinline)) static void inner() {
  Sink = new Foo;
  asm volatile("");
}
__attribute__((noinline)) static void outer() {
  inner();
  asm volatile("");
}
int main() { outer(); }
