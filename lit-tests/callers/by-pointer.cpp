// Intent: a call through a pointer of what is not instrumented has its line where no code can have jumped there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O2 -c %S/Inputs/plain.cpp -o %t.library.o
// RUN: %inmem-clangxx -O2 -fno-optimize-sibling-calls %s %t.library.o -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/sizes.py %t.json %s | %FileCheck %s
// RUN: %inmem-clangxx -O0 -g %s %t.library.o -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/sizes.py %t.json %s | %FileCheck %s
// With jumps, none of the program's lines is certain.
// RUN: %inmem-clangxx -O2 %s %t.library.o -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/sizes.py %t.json %s "NONE" | %FileCheck %s
// CHECK: {{^}}0 wrong lines
// CHECK-NOT: {{.}}

extern void *volatile Sink;
void plain(int Bytes);
#define HERE (__LINE__ * 1000)

void (*volatile Through)(int) = plain;
__attribute__((noinline)) void calls() {
  Through(HERE); // FOUND
  Sink = nullptr;
}
__attribute__((noinline)) void ends(int) {
  return Through(HERE); // FOUND
}
void (*volatile Ends)(int) = ends;
int main() {
  for (int I = 0; I < 3; ++I) {
    calls();
    Ends(0);
    Sink = nullptr;
  }
}
