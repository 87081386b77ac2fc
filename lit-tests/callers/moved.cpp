// Intent: a block that is recorded anew, because more is known of it or because an object begins in it, keeps the line of the program that it was
// made for; one that realloc moved has the line that called for that; with mode=trace and with stacks, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O1 -c %S/Inputs/plain.c -o %t/plain.o
// RUN: %inmem-clangxx -std=c++17 -O0 -fplugin-arg-inmem-objects=lifetime -isystem %S/Inputs/system %s %t/plain.o -o %t/exe
// DEFINE: %{options} = mode=summary
// DEFINE: %{lines} = env INMEM_OPTIONS=output=%t/inmem:%{options} %t/exe && %inmem report %t/inmem --format json > %t/json && \
// DEFINE:   %python %S/Inputs/lines.py %t/json moved.cpp | %FileCheck %s && rm %t/inmem
// RUN: %{lines}
// REDEFINE: %{options} = mode=trace
// RUN: %{lines}
// REDEFINE: %{options} = stacks=16
// RUN: %{lines}
#include "make.h"
#include <cstdlib>
#include <inmem/abi.h>
#include <new>
#include <string>

extern "C" void raw(void **To, size_t Bytes);
extern "C" void *grow(void *P, size_t Bytes);

static const char *Text = "a text that no string holds in place";
struct Point {
  double X = 1, Y = 2;
  ~Point() { X = 0; }
};

// CHECK: whole
void strings() {
  for (int I = 0; I < 10; ++I)
    // CHECK-NEXT: line [[#@LINE+1]]: 10
    std::string S(Text);
}
void *Kept;
__attribute__((noinline)) void keep(size_t Bytes) {
  // CHECK-NEXT: line [[#@LINE+1]]: 10
  raw(&Kept, Bytes);
}
void objects() {
  for (int I = 0; I < 10; ++I) {
    keep(sizeof(Point));
    auto *P = new (Kept) Point;
    P->~Point();
    std::free(P);
  }
}
/// The code that makes the block larger knows no type.
void larger() {
  for (int I = 0; I < 10; ++I) {
    Room<long> Numbers;
    // CHECK-NEXT: line [[#@LINE+1]]: 10
    Numbers.reserve(10);
    // CHECK-NEXT: line [[#@LINE+1]]: 10
    std::free(grow(Numbers.Begin, 4096));
  }
}

/// A retag by library code that has no type leaves the block as it is.
inmem_site Untyped;
void again() {
  Untyped.flags = INMEM_SITE_PASSED;
  for (int I = 0; I < 10; ++I) {
    Room<long> Numbers;
    // CHECK-NEXT: line [[#@LINE+1]]: 10
    Numbers.reserve(10);
    __inmem_retag(Numbers.Begin, &Untyped);
    std::free(Numbers.Begin);
  }
}

int main() {
  strings();
  objects();
  larger();
  again();
}
