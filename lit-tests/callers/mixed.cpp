// Intent: a library's function into which the program's code is inlined is still the library's: what it allocates has the line of its caller.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O2 -DOTHER -c %s -o %t.other.o
// RUN: %inmem-clangxx -O2 %s %t.other.o -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json mixed.cpp | %FileCheck %s
// RUN: %inmem-clangxx -O2 -flto -fuse-ld=lld %s %t.other.o -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json mixed.cpp | %FileCheck %s
// CHECK: whole
#include <map>

int rank(int Number);
#ifdef OTHER
void *volatile Sink;
int rank(int Number) {
  if (Number < 0)
    Sink = ::operator new(10);
  return Number * 2;
}
#else
struct Key {
  int Number;
  // The call has a label, wherever this is inlined.
  __attribute__((always_inline)) bool operator<(const Key &Other) const {
    return rank(Number) < rank(Other.Number);
  }
};
using Map = std::map<Key, long>;

__attribute__((noinline)) void first(Map &M) {
  for (int I = 0; I < 5; ++I)
    // CHECK-NEXT: line [[#@LINE+1]]: 5
    M[Key{I}] = I;
}
__attribute__((noinline)) void second(Map &M) {
  for (int I = 3; I < 12; ++I)
    // CHECK-NEXT: line [[#@LINE+1]]: 7
    M[Key{I}] += I;
}
__attribute__((noinline)) void third(Map &M) {
  for (int I = 100; I < 103; ++I)
    // CHECK-NEXT: line [[#@LINE+1]]: 3
    M[Key{I}] -= I;
}
int main() {
  Map M;
  first(M);
  second(M);
  third(M);
}
#endif
