// Intent: what libstdc++.so allocates for a function of the C++ library that is compiled into the program has the program's line, where that
// function keeps a frame pointer, too; and never another call's, where the function's frame differs in size from call to call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{flags} =
// DEFINE: %{varying} = NONE
// DEFINE: %{lines} = %inmem-clangxx %{flags} %s -isystem %S/Inputs/system -o %t/exe && \
// DEFINE:   env INMEM_OPTIONS=output=%t/inmem %t/exe && %inmem report %t/inmem --format json > %t/json && \
// DEFINE:   %python %S/Inputs/lines.py %t/json strings.cpp | %FileCheck %s --check-prefixes=CHECK,%{varying} && rm %t/inmem
// REDEFINE: %{flags} = -std=c++17 -O0
// RUN: %if all-tiers %{ %{lines} %}
// REDEFINE: %{flags} = -std=c++17 -O0 -g -fPIC
// RUN: %{lines}
// REDEFINE: %{flags} = -std=c++17 -O2 -fno-inline -fno-omit-frame-pointer
// RUN: %{lines}
// REDEFINE: %{flags} = -std=c++17 -O2 -fno-omit-frame-pointer
// RUN: %if all-tiers %{ %{lines} %}
// The function that allocates is in the program, and saves its caller's frame pointer.
// REDEFINE: %{varying} = EACH
// REDEFINE: %{flags} = -std=c++20 -O0
// RUN: %{lines}
#include "varying.h"
#include <cstdio>
#include <string>

#define APART __attribute__((noinline))
static const char *Text = "a text that no string holds in place";

// CHECK: whole
APART std::string fromBuffer() {
  char Buffer[100];
  std::snprintf(Buffer, sizeof Buffer, "%s", Text);
  // CHECK-NEXT: line [[#@LINE+1]]: 10
  return Buffer;
}
APART std::string fromRange(const std::string &S) {
  // CHECK-NEXT: line [[#@LINE+1]]: 10
  return std::string(S.begin(), S.end());
}
APART void append(std::string &S) {
  // CHECK-NEXT: line [[#@LINE+1]]: 10
  S += Text;
}
APART std::string filled() {
  // CHECK-NEXT: line [[#@LINE+1]]: 10
  return std::string(size_t(100), 'x');
}

/// The function between moves the stack pointer by another distance each time.
/// The stack alone does not say then where its caller is.
// NONE-NOT: line {{[0-9]+}}
// EACH-NEXT: line [[#@LINE+2]]: 10
// EACH-NEXT: line [[#@LINE+2]]: 10
APART void varying(int Bytes) { createAndDrop(Bytes); }
APART void varyingToo(int Bytes) { createAndDrop(Bytes); }

int main() {
  for (int I = 0; I < 10; ++I) {
    std::string S = fromBuffer();
    std::string T = fromRange(S);
    std::string A = "short";
    append(A);
    std::string F = filled();
    varying(16 + I * 16);
    varyingToo(16 + I * 48);
  }
}
