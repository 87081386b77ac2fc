// Intent: paths through five functions of a library that differ in one return address only, wherever that is, lead to their own lines: more of
// them than are compared at once, in recursion, beside frames of dynamic size, in turn, and on two threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.exe -pthread
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json chains.cpp | grep -vE "line (90|91):" | %FileCheck %s
// RUN: %inmem-clangxx -O0 %s -o %t.exe -pthread
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report %t.inmem --format json > %t.json && %python %S/Inputs/lines.py %t.json chains.cpp | grep -vE "line (90|91):" | %FileCheck %s
#include <alloca.h>
#include <thread>

#define APART __attribute__((noinline))
#define KEEP(X) asm volatile("" ::"r"(X) : "memory")

// What follows is as in a system header.
# 1 "library.h" 1 3
namespace library {
struct Node {
  long Parts[5];
};
APART Node *make() {
  Node *N = new Node;
  KEEP(N);
  return N;
}
APART Node *second(int Way) {
  Node *N = Way % 2 ? make() : nullptr;
  KEEP(N);
  if (!N)
    N = make();
  KEEP(N);
  return N;
}
APART Node *third(int Way) {
  Node *N = second(Way);
  KEEP(N);
  return N;
}
APART Node *fourth(int Way) {
  Node *N = Way / 2 % 2 ? third(Way) : nullptr;
  KEEP(N);
  if (!N)
    N = third(Way);
  KEEP(N);
  return N;
}
APART Node *fifth(int Way) {
  Node *N = fourth(Way);
  KEEP(N);
  return N;
}
// Calls itself N times more.
APART Node *again(int N) {
  Node *Made = N ? again(N - 1) : fifth(0);
  KEEP(Made);
  return Made;
}
APART Node *dynamic(unsigned Bytes) {
  KEEP(alloca(Bytes));
  Node *N = fifth(1);
  KEEP(N);
  return N;
}
} // namespace library
# 67 "chains.cpp" 2

// CHECK: whole
static void all() {
  for (int I = 0; I < 100; ++I) {
    // CHECK-NEXT: line [[#@LINE+1]]: 200
    delete library::fifth(I);
    // CHECK-NEXT: line [[#@LINE+1]]: 200
    delete library::fifth(I);
    // CHECK-NEXT: line [[#@LINE+1]]: 200
    delete library::fifth(I);
    // CHECK-NEXT: line [[#@LINE+1]]: 200
    delete library::fifth(I);
    // CHECK-NEXT: line [[#@LINE+1]]: 200
    delete library::fifth(I);
    // CHECK-NEXT: line [[#@LINE+1]]: 200
    delete library::fourth(I);
    // CHECK-NEXT: line [[#@LINE+1]]: 200
    delete library::fourth(I);
    // CHECK-NEXT: line [[#@LINE+1]]: 200
    delete library::again(I % 7);
    // CHECK-NEXT: line [[#@LINE+1]]: 200
    delete library::again(6 - I % 7);
    // Either line or none.
    delete library::dynamic(16 * (I % 5));
    delete library::dynamic(16 * (I % 3));
    if (I % 2)
      // CHECK-NEXT: line [[#@LINE+1]]: 100
      delete library::fifth(I);
    // As long as a copy of a map of structures of strings, at -O0.
    // CHECK-NEXT: line [[#@LINE+1]]: 200
    delete library::again(30);
  }
}

int main() {
  std::thread Other(all);
  Other.join();
  all();
}
