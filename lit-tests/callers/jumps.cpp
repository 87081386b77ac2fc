// Intent: functions that jump to functions that jump have no frame: their caller's line is not taken for theirs, in whichever file it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O2 -c %S/Inputs/plain.cpp -o %t.library.o
// RUN: %inmem-clangxx -O2 -fno-inline -DOTHER -c %s -o %t.other.o
// RUN: %inmem-clangxx -O2 -fno-inline %s %t.other.o %t.library.o -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/sizes.py %t.json %s | %FileCheck %s
// RUN: %inmem-clangxx -O2 -flto -fno-inline -DOTHER -c %s -o %t.other.o
// RUN: %inmem-clangxx -O2 -flto -fuse-ld=lld -fno-inline %s %t.other.o %t.library.o -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/sizes.py %t.json %s | %FileCheck %s
// CHECK: {{^}}0 wrong lines
// CHECK-NOT: {{.}}

extern void *volatile Sink;
void plain(int Bytes);
void middle(int Depth);
#define HERE (__LINE__ * 1000)

#ifdef OTHER
__attribute__((noinline)) static void last() {
  return plain(HERE); // MAYBE
}
__attribute__((noinline)) static void before(int Depth) {
  if (Depth > 2)
    return last();
  Sink = nullptr;
}
__attribute__((noinline)) static void first(int Depth) {
  Sink = nullptr;
  return before(Depth + 1);
}
// No label: all that it calls is here.
void middle(int Depth) {
  first(Depth + 1);
  Sink = nullptr;
}
#else
int main() {
  for (int I = 0; I < 6; ++I) {
    middle(I);
    Sink = nullptr;
  }
  middle(3);
  plain(HERE); // FOUND
  Sink = nullptr;
}
#endif
