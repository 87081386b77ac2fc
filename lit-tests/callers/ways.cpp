// Intent: whatever stands between an allocation and the program's line, the line is that of the call; and at every level and way of linking it is
// the same. Without -g.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json ways.cpp | %FileCheck %s --check-prefixes=CHECK,ALL
// RUN: %inmem-clangxx -O2 -fno-inline %s -o %t.exe -s
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json ways.cpp | grep -vE "line 11[69]:" | %FileCheck %s
// RUN: %if all-tiers %{ %inmem-clangxx -O2 -fno-inline -fno-omit-frame-pointer %s -o %t.exe %}
// RUN: %if all-tiers %{ rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe %}
// RUN: %if all-tiers %{ %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json ways.cpp | grep -vE "line 11[69]:" | %FileCheck %s %}
// RUN: %if all-tiers %{ %inmem-clangxx -O2 -fPIC %s -o %t.exe %}
// RUN: %if all-tiers %{ rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:mode=trace %t.exe %}
// RUN: %if all-tiers %{ %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json ways.cpp | grep -vE "line 11[69]:" | %FileCheck %s %}
// RUN: %inmem-clangxx -O2 -fno-inline %s -o %t.exe -static
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json ways.cpp | grep -vE "line 11[69]:" | %FileCheck %s
// RUN: %if all-tiers %{ %inmem-clangxx -O2 -fno-inline -ffunction-sections -Wl,--gc-sections %s -o %t.exe %}
// RUN: %if all-tiers %{ rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:stacks=64 %t.exe %}
// RUN: %if all-tiers %{ %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json ways.cpp | grep -vE "line 11[69]:" | %FileCheck %s %}
// callers=off: the library's lines, as without.
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:callers=off %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json ways.cpp | %FileCheck %s --check-prefix=OFF
// OFF: whole
// OFF-NOT: line {{.*}}: 21
#include <algorithm>
#include <alloca.h>
#include <csetjmp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#define APART __attribute__((noinline))
using Vector = std::vector<int>;
template <class T> APART void use(T *P) { asm volatile("" ::"r"(P) : "memory"); }

// CHECK: whole
APART void tail(Vector &V) {
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  return V.reserve(10);
}
APART void dynamicFrame(unsigned Bytes) {
  use(static_cast<char *>(alloca(Bytes)));
  Vector V;
  // CHECK-NEXT: line [[#@LINE+1]]: 4
  V.reserve(Bytes);
  use(&V);
}
APART void realignedFrame() {
  struct {
    alignas(64) char Bytes[200];
  } Large;
  use(&Large);
  Vector V;
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  V.reserve(7);
  use(&V);
}
// Called by the library, and calls it.
APART bool comparator(int A, int B) {
  Vector V;
  // CHECK-NEXT: line [[#@LINE+1]]: 5
  V.reserve(3);
  use(&V);
  return A < B;
}
struct Thrower {
  Vector V;
  APART Thrower() {
    // CHECK-NEXT: line [[#@LINE+1]]: 1
    V.reserve(5);
    use(&V);
    // CHECK-NEXT: line [[#@LINE+1]]: 1
    throw 1;
  }
};
APART void afterException() {
  try {
    Thrower T;
  } catch (int) {
    Vector V;
    // CHECK-NEXT: line [[#@LINE+1]]: 1
    V.reserve(6);
    use(&V);
  }
}
jmp_buf Environment;
APART void jump(Vector &V) {
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  V.reserve(100);
  longjmp(Environment, 1);
}
APART void afterJump() {
  Vector V;
  if (!setjmp(Environment))
    jump(V);
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  V.reserve(200);
  use(&V);
}
APART void recursive(unsigned Depth) {
  Vector V;
  // CHECK-NEXT: line [[#@LINE+1]]: 21
  V.reserve(Depth + 1);
  use(&V);
  if (Depth)
    recursive(Depth - 1);
  use(&V);
}
// One instruction in the end, unless the compiler inlines the two: then each has its line (left out by the commands above).
APART void merged(Vector &V, bool First) {
  if (First)
    // ALL-NEXT: line [[#@LINE+1]]: 1
    V.reserve(1000);
  else
    // ALL-NEXT: line [[#@LINE+1]]: 1
    V.reserve(1000);
}
APART void function() {
  std::function<void()> F = [] {
    Vector V;
    // CHECK-NEXT: line [[#@LINE+1]]: 1
    V.reserve(11);
    use(&V);
  };
  F();
}
// What nobody wrote: the line is that of the copy.
struct Implicit {
  Vector V;
};
APART void copies(const Implicit &From) {
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  Implicit Copy = From;
  use(&Copy);
}
int main(int Argc, char **) {
  Vector V;
  tail(V);
  for (unsigned Bytes : {16, 32, 48, 64})
    dynamicFrame(Bytes);
  realignedFrame();
  int Four[4] = {4, 2, 3, 1};
  std::sort(Four, Four + 4, comparator);
  afterException();
  afterJump();
  recursive(20);
  Vector A, B;
  merged(A, Argc == 1);
  merged(B, Argc != 1);
  function();
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  Implicit From = {Vector(3)};
  copies(From);
  // libstdc++'s own code allocates.
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  std::string Text(100, 'x');
  // CHECK-NEXT: line [[#@LINE+1]]: 1
  Text.append(200, 'y');
  // CHECK-NOT: line
  use(&Text);
  use(&V);
  use(&A);
  use(&B);
}
