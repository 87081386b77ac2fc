// Intent: with -fno-plt a loop would call through a register, which does not name the function: the line is still known.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O2 -c %S/Inputs/plain.cpp -o %t.library.o
// RUN: %clangxx -O2 -fno-plt -S -o - %s | %FileCheck --check-prefix=REGISTER %s
// REGISTER: callq {{\*%r..}}
// RUN: %inmem-clangxx -O2 -fno-plt %s %t.library.o -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/sizes.py %t.json %s | %FileCheck %s
// CHECK: {{^}}0 wrong lines
// CHECK-NOT: {{.}}

extern void *volatile Sink;
void plain(int Bytes);
#define HERE (__LINE__ * 1000)

// A function that jumps: without one, no frame can be missing.
__attribute__((noinline)) static void jump(int Bytes) {
  return plain(Bytes); // MAYBE
}
void (*volatile Pointer)(int) = jump;

__attribute__((noinline)) static void loop(int Count) {
  for (int I = 0; I < Count; ++I) {
    plain(HERE); // FOUND
    Sink = nullptr;
  }
}

int main(int Count, char **) {
  loop(Count * 10);
  Pointer(HERE);
  Sink = nullptr;
}
